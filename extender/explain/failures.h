// The nodes that a pod does not fit, by why: thousands of nodes have a handful of reasons.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "extender/explain/explanation.h"

namespace winnow {

/// Nodes whose filtering ended at the same rule for the same reasons.
struct FailureGroup {
  std::string rule;    ///< The first that fails, as the configuration names it; empty if none says why.
  std::string reason;  ///< Its reasons, joined with ", ", or its error.
  bool error = false;
  std::vector<std::string_view> nodes;  ///< By name. They belong to the explanation.
  std::size_t evictable = 0;  ///< How many of them eviction might help: every failure is resolvable.
  /// The rules that fail behind the first, and on how many of the nodes, the most frequent first.
  std::vector<std::pair<std::string_view, std::size_t>> behind;
};

/// The groups of the nodes that do not fit, the largest first.
std::vector<FailureGroup> group_failures(const Explanation& explanation);

/// What kube-scheduler writes into the events of a pod that fits nowhere (FitError.Error()):
/// "0/5 nodes are available: 2 node(s) were unschedulable, 3 Insufficient cpu." The reasons that end a node's
/// filtering are counted; with `every_failure` (alwaysCheckAllPredicates) those of all its failures.
std::string fit_error(const Explanation& explanation, bool every_failure);

}  // namespace winnow
