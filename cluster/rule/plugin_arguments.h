// Arguments of today's plugins: `pluginConfig[].args` of a KubeSchedulerConfiguration, defaulted and valid.
// Upstream: pkg/scheduler/apis/config/types_pluginargs.go v1.37.0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/api/pod.h"

namespace winnow {

/// A point of a line that turns a utilization into a score.
struct UtilizationPoint {
  std::int64_t utilization = 0;  ///< 0 to 100.
  std::int64_t score = 0;        ///< 0 to 10, as configured; plugins scale it to 100.
  bool operator==(const UtilizationPoint&) const = default;
};
using UtilizationShape = std::vector<UtilizationPoint>;  ///< Utilization increasing.

struct WeighedResource {
  std::string name;
  std::int64_t weight = 1;
  bool operator==(const WeighedResource&) const = default;
};

enum class ScoringStrategy : std::uint8_t { kLeastAllocated, kMostAllocated, kRequestedToCapacityRatio };

struct NodeResourcesFitArgs {
  std::vector<std::string> ignored_resources;
  std::vector<std::string> ignored_resource_groups;
  ScoringStrategy strategy = ScoringStrategy::kLeastAllocated;
  std::vector<WeighedResource> resources{{"cpu", 1}, {"memory", 1}};
  UtilizationShape shape;  ///< RequestedToCapacityRatio only.
};

struct BalancedAllocationArgs {
  std::vector<WeighedResource> resources{{"cpu", 1}, {"memory", 1}};
};

struct NodeAffinityArgs {
  std::optional<NodeAffinity> added_affinity;
};

struct PodTopologySpreadArgs {
  /// Of pods without constraints of their own: these, or upstream's (hostname, 3, and zone, 5, both soft).
  std::vector<TopologySpreadConstraint> default_constraints;
  bool system_defaulted = true;
};

struct InterPodAffinityArgs {
  /// What an existing pod's required affinity term adds for a pod that it matches: 0 to 100.
  std::int64_t hard_pod_affinity_weight = 1;
  bool ignore_preferred_terms_of_existing_pods = false;
};

struct VolumeBindingArgs {
  UtilizationShape shape{{0, 10}, {100, 0}};
};

// Of plugins that kube-scheduler no longer has. Upstream: types_pluginargs.go v1.22.17.

struct NodeLabelArgs {
  std::vector<std::string> present_labels;
  std::vector<std::string> absent_labels;
  std::vector<std::string> present_labels_preference;
  std::vector<std::string> absent_labels_preference;
};

struct ServiceAffinityArgs {
  std::vector<std::string> affinity_labels;
  std::vector<std::string> anti_affinity_labels_preference;
};

/// Of NodeResourcesLeastAllocated, NodeResourcesMostAllocated and RequestedToCapacityRatio.
struct ResourceScoreArgs {
  std::vector<WeighedResource> resources{{"cpu", 1}, {"memory", 1}};  ///< Of equal names the last counts.
  UtilizationShape shape;                                             ///< RequestedToCapacityRatio only.
};

}  // namespace winnow
