// The whole search of a preemption: the nodes that evictions free for a pod, the victims there, and the best
// of these nodes.
//
// Upstream tries nodes from a random one on, until it has a tenth of them or a hundred candidates. Here all
// nodes are tried: so the best one is the best of all, and the same each time.
// Upstream: pkg/scheduler/framework/preemption/preemption.go and
// pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go v1.37.0,
// core/generic_scheduler.go Preempt v1.16.15.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cluster/state/row_values.h"

namespace winnow {

class Budget;
class Engine;
class View;
struct Pod;
struct RuleSet;

/// A node that has room for the pod without these pods.
struct FreedNode {
  std::string name;
  /// In upstream's order: the highest priority first, then the oldest. In v1.16 those that break a budget
  /// come before the others. Empty only in v1.16, where the pod fits beside all pods that upstream takes
  /// away.
  std::vector<PodId> victims;
  std::int64_t violations = 0;  ///< Victims whose eviction breaks a budget.
};

struct FreedNodes {
  std::vector<FreedNode> nodes;     ///< In order of name.
  std::optional<std::size_t> best;  ///< Of nodes: upstream's choice; of equals the first by name.
  std::string message;              ///< If there is none because the pod may not preempt: why.
  std::size_t fitting = 0;          ///< Nodes that have room without any eviction.
  bool cut_short = false;           ///< Some nodes were not tried, for the time was over.
};

/// The filter's rules are asked as in filtering. Then for each node that evictions may help: all pods of
/// lower priority leave, and come back one by one as long as the pod still fits, those of broken budgets
/// first, and of each kind the most important ones first. Of equally important pods the first by namespace
/// and name stays; upstream has no order of them.
///
/// Runs on the engine's threads. @param budget  when its time is over, nodes that are not done are left out.
/// Null: unlimited.
FreedNodes search_victims(const Engine& engine, const View& view, const Pod& pod,
                          const Budget* budget = nullptr);
/// The same among some nodes of the view, each given once. @param spared  pods that are not evicted, sorted.
FreedNodes search_victims_among(const Engine& engine, const View& view, const Pod& pod,
                                std::vector<NodeId> nodes, std::span<const PodId> spared,
                                const Budget* budget = nullptr);

/// Whether the rules make every check by which kube-scheduler keeps pods off nodes. Where one is missing, a
/// node that is found by the rules alone may go on refusing the pod, and its pods are evicted in vain. A
/// classic rule set never does: it lacks what has come since v1.16. Nor do rules beside which others filter.
bool cover_all_filters(const RuleSet& rules);

}  // namespace winnow
