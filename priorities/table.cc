#include "priorities/table.h"

#include <algorithm>

#include "cluster/rule/arguments.h"

namespace winnow::priorities {

BindPriority balanced_resource_allocation, equal, even_pods_spread, image_locality, inter_pod_affinity,
    label_preference, least_requested, most_requested, node_affinity, node_prefer_avoid_pods,
    requested_to_capacity_ratio, resource_limits, selector_spread, service_anti_affinity, taint_toleration;

namespace {

constexpr Row kClassic[] = {
    {"BalancedResourceAllocation", balanced_resource_allocation, needs::kNothing},
    {"EqualPriority", equal, needs::kNothing},
    {"EvenPodsSpreadPriority", even_pods_spread, needs::kNothing, /*has_map=*/false},
    {"ImageLocalityPriority", image_locality, needs::kNothing},
    {"InterPodAffinityPriority", inter_pod_affinity, needs::kNothing, /*has_map=*/false},
    {"LeastRequestedPriority", least_requested, needs::kNothing},
    {"MostRequestedPriority", most_requested, needs::kNothing},
    {"NodeAffinityPriority", node_affinity, needs::kNothing},
    {"NodePreferAvoidPodsPriority", node_prefer_avoid_pods, needs::kNothing},
    {"RequestedToCapacityRatioPriority", requested_to_capacity_ratio, needs::kNothing},
    {"ResourceLimitsPriority", resource_limits, needs::kNothing},
    {"SelectorSpreadPriority", selector_spread, needs::kWorkloads},
    // Upstream intends this for Services alone. But its priority metadata, made for SelectorSpreadPriority,
    // overrides that.
    {"ServiceSpreadingPriority", selector_spread, needs::kWorkloads},
    {"TaintTolerationPriority", taint_toleration, needs::kNothing},
    {"", service_anti_affinity, needs::kServices, /*has_map=*/true,
     kArgumentsIndex<ServiceAntiAffinityLabel>},
    {"", label_preference, needs::kNothing, /*has_map=*/true, kArgumentsIndex<LabelPreference>},
    {"", requested_to_capacity_ratio, needs::kNothing, /*has_map=*/true, kArgumentsIndex<CapacityRatioShape>},
};

}  // namespace

std::span<const Row> classic() { return kClassic; }

const Row* find_classic(std::string_view name) {
  if (name.empty()) return nullptr;
  const auto row = std::ranges::find(kClassic, name, &Row::name);
  return row == std::end(kClassic) ? nullptr : &*row;
}

const Row* find_classic_taking(std::size_t argument) {
  const auto row = std::ranges::find(kClassic, argument, &Row::takes);
  return argument == 0 || row == std::end(kClassic) ? nullptr : &*row;
}

std::vector<std::string_view> classic_names() {
  std::vector<std::string_view> names;
  for (const Row& row : kClassic)
    if (!row.name.empty()) names.push_back(row.name);
  return names;
}

}  // namespace winnow::priorities
