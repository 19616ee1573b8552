#include "priorities/today/table.h"

#include <algorithm>

namespace winnow::priorities::today {

BindPriority image_locality, inter_pod_affinity, node_affinity, node_resources_balanced_allocation,
    node_resources_fit, pod_topology_spread, taint_toleration, volume_binding;

namespace {

constexpr Row kPlugins[] = {
    {"TaintToleration", taint_toleration, needs::kNothing, 3,
     "failed to read \"PreScoreTaintToleration\" from cycleState: not found", /*may_skip=*/false},
    {"NodeAffinity", node_affinity, needs::kNothing, 2},
    {"NodeResourcesFit", node_resources_fit, needs::kNothing, 1, "", /*may_skip=*/false},
    {"VolumeBinding", volume_binding, needs::kBinding, 1, "", /*may_skip=*/false, "not found",
     /*scores_its_filters=*/true},
    {"PodTopologySpread", pod_topology_spread, needs::kWorkloads, 2,
     "error reading \"PreScorePodTopologySpread\" from cycleState: not found"},
    {"InterPodAffinity", inter_pod_affinity, needs::kNamespaces, 2,
     "failed to read \"PreScoreInterPodAffinity\" from cycleState: not found"},
    {"NodeResourcesBalancedAllocation", node_resources_balanced_allocation},
    {"ImageLocality", image_locality, needs::kNothing, 1, "", /*may_skip=*/false},
};

}  // namespace

std::span<const Row> plugins() { return kPlugins; }

const Row* find_plugin(std::string_view name) {
  const auto row = std::ranges::find(kPlugins, name, &Row::name);
  return row == std::end(kPlugins) ? nullptr : &*row;
}

std::expected<std::unique_ptr<const Priority>, std::string> fails(const Request&,
                                                                  const Arguments& arguments) {
  return std::unexpected(std::get<FailsWith>(arguments).error);
}

std::expected<std::unique_ptr<const Priority>, std::string> scores_nothing(const Request&, const Arguments&) {
  return nullptr;
}

}  // namespace winnow::priorities::today
