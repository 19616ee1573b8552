// Arguments of plugins that both filter and score: each side reads its own part of them.
// Upstream: pkg/scheduler/apis/config/types_pluginargs.go v1.37.0; of removed plugins v1.22.17.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/api/pod.h"
#include "cluster/rule/arguments.h"

namespace winnow {

enum class ScoringStrategy : std::uint8_t { kLeastAllocated, kMostAllocated, kRequestedToCapacityRatio };

struct NodeResourcesFitArgs {
  std::vector<std::string> ignored_resources;
  std::vector<std::string> ignored_resource_groups;
  ScoringStrategy strategy = ScoringStrategy::kLeastAllocated;
  std::vector<WeighedResource> resources{{"cpu", 1}, {"memory", 1}};
  UtilizationShape shape;  ///< RequestedToCapacityRatio only.
};

struct NodeAffinityArgs {
  std::optional<NodeAffinity> added_affinity;
};

struct PodTopologySpreadArgs {
  /// Of pods without constraints of their own: these, or upstream's (hostname, 3, and zone, 5, both soft).
  std::vector<TopologySpreadConstraint> default_constraints;
  bool system_defaulted = true;
};

struct DynamicResourcesArgs {
  std::int64_t filter_timeout_ns = 10'000'000'000;  ///< For one node; 0: none.
  std::int64_t binding_timeout_ns = 600'000'000'000;
};

/// Of the removed NodeLabel.
struct NodeLabelArgs {
  std::vector<std::string> present_labels;
  std::vector<std::string> absent_labels;
  std::vector<std::string> present_labels_preference;
  std::vector<std::string> absent_labels_preference;
};

/// Of the removed ServiceAffinity.
struct ServiceAffinityArgs {
  std::vector<std::string> affinity_labels;
  std::vector<std::string> anti_affinity_labels_preference;
};

// Their schemas. A number is that of an older release which reads them otherwise.

struct ArgsSchema;

extern const ArgsSchema kNodeResourcesFitArgs, kFitArgs128, kFitArgs122, kFitArgs118, kNodeAffinityArgs,
    kPodTopologySpreadArgs, kPodTopologySpreadArgsV1Beta1, kPodTopologySpreadArgs118, kDynamicResourcesArgs,
    kNodeLabelArgs, kNodeLabelArgs118, kServiceAffinityArgs, kServiceAffinityArgs118;

/// Sets absent weights to 1, and an empty list to cpu and memory.
void put_default_resources(std::vector<WeighedResource>& resources);

}  // namespace winnow
