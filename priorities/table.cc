#include "priorities/table.h"

#include <algorithm>

namespace winnow::priorities {

BindPriority balanced_resource_allocation, equal, even_pods_spread, image_locality, inter_pod_affinity,
    label_preference, least_requested, most_requested, node_affinity, node_prefer_avoid_pods,
    requested_to_capacity_ratio, resource_limits, selector_spread, service_anti_affinity, taint_toleration;

namespace {

constexpr Row kClassic[] = {
    {"BalancedResourceAllocation", balanced_resource_allocation},
    {"EqualPriority", equal},
    {"EvenPodsSpreadPriority", even_pods_spread, Takes::kNothing, false},
    {"ImageLocalityPriority", image_locality},
    {"InterPodAffinityPriority", inter_pod_affinity, Takes::kNothing, false},
    {"LeastRequestedPriority", least_requested},
    {"MostRequestedPriority", most_requested},
    {"NodeAffinityPriority", node_affinity},
    {"NodePreferAvoidPodsPriority", node_prefer_avoid_pods},
    {"RequestedToCapacityRatioPriority", requested_to_capacity_ratio},
    {"ResourceLimitsPriority", resource_limits},
    {"SelectorSpreadPriority", selector_spread, Takes::kNothing, true, needs::kWorkloads},
    // Upstream means services alone, but what it prepares for SelectorSpreadPriority overrides that.
    {"ServiceSpreadingPriority", selector_spread, Takes::kNothing, true, needs::kWorkloads},
    {"TaintTolerationPriority", taint_toleration},
    {"", service_anti_affinity, Takes::kServiceAntiAffinity, true, needs::kServices},
    {"", label_preference, Takes::kLabelPreference},
    {"", requested_to_capacity_ratio, Takes::kCapacityRatio},
};

}  // namespace

std::span<const Row> classic() { return kClassic; }

const Row* find_classic(std::string_view name) {
  if (name.empty()) return nullptr;
  const auto row = std::ranges::find(kClassic, name, &Row::name);
  return row == std::end(kClassic) ? nullptr : &*row;
}

const Row* find_classic(Takes takes) { return &*std::ranges::find(kClassic, takes, &Row::takes); }

std::vector<std::string_view> classic_names() {
  std::vector<std::string_view> names;
  for (const Row& row : kClassic)
    if (!row.name.empty()) names.push_back(row.name);
  return names;
}

}  // namespace winnow::priorities
