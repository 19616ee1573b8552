// Which evictions break a PodDisruptionBudget.
#pragma once

#include <span>
#include <vector>

#include "cluster/state/state.h"

namespace winnow {

/// For each pod, whether its eviction breaks a budget, if those before it are evicted too. Today a budget
/// that matches is used up pod by pod, and does not mind a pod whose eviction it knows of
/// (status.disruptedPods); for v1.16 one that has nothing left is broken by every pod, and any other by none.
/// A budget with an absent, empty or invalid selector matches nothing. Upstream:
/// pkg/scheduler/framework/preemption/util.go FilterVictimsWithPDBViolation v1.37.0,
/// core/generic_scheduler.go filterPodsWithPDBViolation v1.16.15.
std::vector<bool> break_budgets(const Store<PodDisruptionBudget>& budgets, std::span<const ObjectMeta> pods,
                                Generation generation);

}  // namespace winnow
