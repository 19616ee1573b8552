// Arguments of rules, of a classic Policy and of plugins; and members of a table's row that have no default.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "cluster/api/pod.h"

namespace winnow {

/// A value without a default: an aggregate that leaves it out does not compile.
template <class T>
class Required {
 public:
  template <std::convertible_to<T> From>
  constexpr Required(From&& from) : value_(std::forward<From>(from)) {}
  constexpr operator const T&() const { return value_; }

 private:
  T value_;
};

// Arguments of today's plugins: `pluginConfig[].args` of a KubeSchedulerConfiguration, defaulted and valid.
// Upstream: pkg/scheduler/apis/config/types_pluginargs.go v1.37.0.

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

// Arguments that a configuration gives to a rule: those of a classic Policy, and today's.

struct LabelsPresence {
  std::vector<std::string> labels;
  bool presence = false;
};
struct ServiceAffinityLabels {
  std::vector<std::string> labels;
};
struct ServiceAntiAffinityLabel {
  std::string label;
};
struct LabelPreference {
  std::string label;
  bool presence = false;
};
struct CapacityRatioShape {
  UtilizationShape points;
  std::vector<WeighedResource> resources;
};
/// What an existing pod's required affinity term adds for a pod that it matches.
struct HardPodAffinity {
  std::int64_t weight = 1;
};

/// Whether what a node says of itself limits its volumes; of the rules that limit volumes.
struct AttachLimits {
  bool by_node = true;
};

/// Extended resources that only an extender counts: `ignoredByScheduler` of a Policy's extenders. Of
/// PodFitsResources and GeneralPredicates.
struct IgnoredResources {
  std::vector<std::string> names;
};

/// A plugin that runs without the extension point that it relies on: it fails wherever it is asked.
struct FailsWith {
  std::string error;
  bool at_pre_score = false;  ///< Of a scoring plugin: its PreScore fails already, not only its Score.
};

/// What a configuration gives to one rule. monostate, the default: nothing.
///
/// It is a struct so that rules' interfaces can name it without this header: only what reads or makes
/// arguments includes it.
struct Arguments
    : std::variant<std::monostate, LabelsPresence, ServiceAffinityLabels, ServiceAntiAffinityLabel,
                   LabelPreference, CapacityRatioShape, HardPodAffinity, AttachLimits, IgnoredResources,
                   NodeResourcesFitArgs, BalancedAllocationArgs, NodeAffinityArgs, PodTopologySpreadArgs,
                   InterPodAffinityArgs, VolumeBindingArgs, NodeLabelArgs, ServiceAffinityArgs,
                   ResourceScoreArgs, FailsWith> {
  using variant::variant;
};

/// The index() of Arguments that hold a T; 0 is that of none.
template <class T>
inline constexpr std::size_t kArgumentsIndex =
    []<class... Kinds>(const std::type_identity<std::variant<Kinds...>>&) {
      static_assert((std::is_same_v<T, Kinds> || ...), "not among the Arguments");
      std::size_t index = 0;
      static_cast<void>(((std::is_same_v<T, Kinds> || (++index, false)) || ...));
      return index;
    }(std::type_identity<Arguments::variant>());

}  // namespace winnow
