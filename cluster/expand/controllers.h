// Internal: which pods of an object there will be, by which names, and what controllers add to them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/api/workload.h"
#include "cluster/expand/pod_set.h"
#include "cluster/text/keyed_hash.h"

namespace winnow {

class State;

/// Gives pods their numbers, so that no two pods of files, and none of the cluster, have one name.
class Numbers {
 public:
  /// The cluster must outlive this.
  explicit Numbers(const State& cluster) : cluster_(cluster) {}

  /// Takes the name for a pod of a file. @return false if the cluster has a pod of that name.
  bool reserve(const std::string& ns, const std::string& name);
  /// Fills in recipe.numbers for `count` pods.
  /// @param first  the first ordinal. Ordinals whose pod is there already are left out.
  void number(PodRecipe& recipe, std::uint32_t count, std::uint32_t first);

 private:
  bool is_taken(const std::string& ns, const std::string& name) const;
  std::uint32_t free_suffix(const std::string& ns, const std::string& prefix);

  const State& cluster_;
  TextSet reserved_;             ///< "NAMESPACE/NAME"
  TextMap<std::uint32_t> next_;  ///< By namespace and generateName: several objects may share it.
};

// What controllers add to the pods of a template: labels, the owner, the form of the name.

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
