// PodDisruptionBudgets, and the evictions that break them.
#pragma once

#include <span>
#include <vector>

#include "cluster/state/state.h"

namespace winnow {

/// Says for each pod whether its eviction breaks a budget, given that the pods before it are evicted too.
/// Today each eviction uses up one of the budget's disruptionsAllowed; pods in status.disruptedPods use none.
/// In v1.16 evictions use nothing up: a budget with none left is broken by every pod that it matches. A
/// budget with an absent, empty or invalid selector matches nothing. Upstream:
/// pkg/scheduler/framework/preemption/util.go FilterVictimsWithPDBViolation v1.37.0,
/// core/generic_scheduler.go filterPodsWithPDBViolation v1.16.15.
std::vector<bool> break_budgets(const Store<PodDisruptionBudget>& budgets, std::span<const ObjectMeta> pods,
                                Generation generation);

}  // namespace winnow
