// Arguments that a configuration gives to a rule: those of a classic Policy, and today's.
#pragma once

#include <cstdint>
#include <string>
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

/// A plugin that runs without the extension point that it relies on: it fails wherever it is asked.
struct FailsWith {
  std::string error;
};

/// monostate: the rule was configured without arguments.
using Arguments = std::variant<std::monostate, LabelsPresence, ServiceAffinityLabels,
                               ServiceAntiAffinityLabel, LabelPreference, CapacityRatioShape, HardPodAffinity,
                               AttachLimits, NodeResourcesFitArgs, BalancedAllocationArgs, NodeAffinityArgs,
                               PodTopologySpreadArgs, InterPodAffinityArgs, VolumeBindingArgs, FailsWith>;

}  // namespace winnow
