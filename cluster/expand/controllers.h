// What controllers add to the pods of a template: labels, the owner, the form of the name.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cluster/api/workload.h"
#include "cluster/expand/pod_recipe.h"
#include "cluster/expand/workload.h"

namespace winnow {

/// A recipe without numbers, and with a pattern that no API server has seen.
struct ControlledPods {
  PodRecipe recipe;
  std::optional<ReplicaSet> replica_set;  ///< Of a Deployment: it owns the pods.
};
ControlledPods controlled_pods(Workload workload);

/// How many pods the controller of an object without pods would keep. Not of DaemonSets.
/// @param replicas  as ExpandOptions has it.
std::uint32_t wanted_pods(const Workload& workload, std::optional<std::uint32_t> replicas);

}  // namespace winnow
