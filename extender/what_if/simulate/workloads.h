// The workloads of a cluster, as their pods show them: how many pods each has, and which go first.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/state/row_values.h"

namespace winnow {

class State;

/// The pods of one workload that are not being deleted.
struct KnownWorkload {
  std::string name;          ///< "Deployment shop/web", as workload_of() has it.
  std::vector<PodId> pods;   ///< In no order.
  std::size_t on_nodes = 0;  ///< The rest is pending.

  std::string_view kind() const { return std::string_view(name).substr(0, name.find(' ')); }
  /// "shop/web"
  std::string_view full_name() const { return std::string_view(name).substr(name.find(' ') + 1); }
};

/// Those of the state, by name. Pods without a controller are of none.
std::vector<KnownWorkload> workloads_of(const State& state);

/// The workload of that name; null: there is none. @param workloads  of workloads_of().
const KnownWorkload* find_workload(const std::vector<KnownWorkload>& workloads, std::string_view name);

/// The pod that shows how the next ones would be: of a Deployment one of the ReplicaSet with the most pods.
/// @param workload  with a pod.
PodId pattern_of(const State& state, const KnownWorkload& workload);

/// Namespaces and names of the pods that go when the workload is scaled down by so many. Of a StatefulSet
/// those of the highest ordinals. Else pending ones first, then those on nodes that have the most of them,
/// then those of the last names. What the ReplicaSet controller knows beside that, as ages, a state does not
/// keep.
/// Upstream: pkg/controller/controller_utils.go ActivePodsWithRanks v1.37.0.
std::vector<std::pair<std::string, std::string>> first_to_go(const State& state,
                                                             const KnownWorkload& workload,
                                                             std::size_t count);

}  // namespace winnow
