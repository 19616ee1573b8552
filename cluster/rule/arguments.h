// Arguments that a configuration gives to a rule: those of a classic Policy, and today's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "cluster/rule/plugin_arguments.h"

namespace winnow {

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
