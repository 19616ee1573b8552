// PodDisruptionBudgets, and the evictions that break them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "cluster/api/generation.h"
#include "cluster/api/meta.h"
#include "cluster/state/row_values.h"

namespace winnow {

class State;
struct PodDisruptionBudget;

/// Says for each pod whether its eviction breaks a budget, given that the pods before it are evicted too.
/// Today each eviction uses up one of the budget's disruptionsAllowed; pods in status.disruptedPods use none.
/// In v1.16 evictions use nothing up: a budget with none left is broken by every pod that it matches. A
/// budget with an absent, empty or invalid selector matches nothing. Upstream:
/// pkg/scheduler/framework/preemption/util.go FilterVictimsWithPDBViolation v1.37.0,
/// core/generic_scheduler.go filterPodsWithPDBViolation v1.16.15.
std::vector<bool> break_budgets(const Store<PodDisruptionBudget>& budgets, std::span<const ObjectMeta> pods,
                                Generation generation);

/// The same for the pods of one node after another. Pods that no selector can tell apart are compared with
/// the budgets once. Used by one thread; a copy shares the budgets.
class NodeBudgets {
 public:
  /// The state must not change while this lives.
  NodeBudgets(const State& state, Generation generation);

  /// @param pods  of the state. @return as break_budgets().
  std::vector<bool> breaks(std::span<const PodId> pods);

 private:
  struct AllUsable;
  const std::vector<std::uint32_t>& budgets_of(GroupId group);

  const State& state_;
  Generation generation_;
  std::shared_ptr<const AllUsable> usable_;
  std::unordered_map<GroupId, std::vector<std::uint32_t>> of_group_;  ///< In the order of the budgets.
  std::vector<std::int64_t> used_;  ///< By budget: evictions of the node's pods that count.
};

}  // namespace winnow
