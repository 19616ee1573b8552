#include "priorities/plugins.h"

#include <algorithm>

#include "cluster/rule/arguments.h"

namespace winnow::priorities::today {

BindPriority image_locality, inter_pod_affinity, node_affinity, node_resources_balanced_allocation,
    node_resources_fit, pod_topology_spread, taint_toleration, volume_binding;
}  // namespace winnow::priorities::today

namespace winnow::priorities {
BindPriority resource_limits;
}  // namespace winnow::priorities

namespace winnow::priorities::removed {
BindPriority node_label, node_prefer_avoid_pods, node_resources_least_allocated,
    node_resources_most_allocated, requested_to_capacity_ratio, selector_spread,
    selector_spread_without_pre_score, service_affinity;
}  // namespace winnow::priorities::removed

namespace winnow::priorities::today {
namespace {

constexpr Row kPlugins[] = {
    {.name = "TaintToleration",
     .bind = taint_toleration,
     .needs = needs::kNothing,
     .without_pre_score = "failed to read \"PreScoreTaintToleration\" from cycleState: not found",
     .may_skip = false},
    {.name = "NodeAffinity", .bind = node_affinity, .needs = needs::kNothing},
    {.name = "NodeResourcesFit", .bind = node_resources_fit, .needs = needs::kNothing, .may_skip = false},
    {.name = "VolumeBinding",
     .bind = volume_binding,
     .needs = needs::kBinding,
     .may_skip = false,
     .without_pre_filter = "not found",
     .scores_its_filters = true},
    {.name = "PodTopologySpread",
     .bind = pod_topology_spread,
     .needs = needs::kWorkloads,
     .without_pre_score = "error reading \"PreScorePodTopologySpread\" from cycleState: not found"},
    {.name = "InterPodAffinity",
     .bind = inter_pod_affinity,
     .needs = needs::kNamespaces,
     .without_pre_score = "failed to read \"PreScoreInterPodAffinity\" from cycleState: not found"},
    {.name = "NodeResourcesBalancedAllocation",
     .bind = node_resources_balanced_allocation,
     .needs = needs::kNothing},
    {.name = "ImageLocality", .bind = image_locality, .needs = needs::kNothing, .may_skip = false},
    // Of v1.22.17, which kube-scheduler no longer has. No PreScore of that time skips.
    {.name = "SelectorSpread",
     .bind = removed::selector_spread,
     .needs = needs::kWorkloads,
     .without_pre_score = "reading \"PreScoreSelectorSpread\" from cycleState: not found",
     .failing = removed::selector_spread_without_pre_score,
     .may_skip = false},
    {.name = "ServiceAffinity",
     .bind = removed::service_affinity,
     .needs = kind_of<Service>,
     .may_skip = false},
    {.name = "NodeLabel", .bind = removed::node_label, .needs = needs::kNothing, .may_skip = false},
    {.name = "NodePreferAvoidPods",
     .bind = removed::node_prefer_avoid_pods,
     .needs = needs::kNothing,
     .may_skip = false},
    {.name = "NodeResourcesLeastAllocated",
     .bind = removed::node_resources_least_allocated,
     .needs = needs::kNothing,
     .may_skip = false},
    {.name = "NodeResourcesMostAllocated",
     .bind = removed::node_resources_most_allocated,
     .needs = needs::kNothing,
     .may_skip = false},
    {.name = "RequestedToCapacityRatio",
     .bind = removed::requested_to_capacity_ratio,
     .needs = needs::kNothing,
     .may_skip = false},
    // Of v1.18.20, where it is off by default.
    {.name = "NodeResourceLimits",
     .bind = resource_limits,
     .needs = needs::kNothing,
     .without_pre_score = "Error reading \"PreScoreNodeResourceLimits\" from cycleState: not found",
     .may_skip = false},
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
