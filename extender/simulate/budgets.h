// PodDisruptionBudgets as pods leave and come back.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/api/selector.h"
#include "cluster/state/state.h"

namespace winnow {

/// Keeps the status of each budget of a state as the disruption controller would. Every pod on a node counts
/// as healthy, a new one at once. Where a status says how many are healthy, one more is allowed for each
/// above the desired number. Else a pod that comes allows one, and one that goes takes one.
///
/// Used by one thread; the state outlives it.
/// Upstream: pkg/controller/disruption/disruption.go updatePdbStatus v1.37.0.
class Budgets {
 public:
  explicit Budgets(State& state);

  /// Whether the eviction API refuses to evict a pod of a node. @return its words; nothing: it evicts.
  /// Upstream: pkg/registry/core/pod/storage/eviction.go v1.37.0.
  std::optional<std::string> refuses(const ObjectMeta& pod) const;
  /// The pod has left its node.
  void left(const ObjectMeta& pod) { change(pod, -1); }
  /// The pod is on a node.
  void stands(const ObjectMeta& pod) { change(pod, +1); }

 private:
  /// A budget's key in the state, and its selector.
  using Selecting = std::pair<std::string, Selector>;

  std::vector<const std::string*> of(const ObjectMeta& pod) const;
  void change(const ObjectMeta& pod, int by);

  State& state_;
  std::map<std::string, std::vector<Selecting>, std::less<>> by_namespace_;
};

}  // namespace winnow
