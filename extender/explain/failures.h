// The nodes that a pod does not fit, grouped by reason. Thousands of nodes usually have a handful of reasons.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "extender/explain/explanation.h"

namespace winnow {

/// Nodes on which the same rule fails first, for the same reasons.
struct FailureGroup {
  std::string rule;    ///< The first rule that fails, as configured; "": no rule gives a reason.
  std::string reason;  ///< Its reasons, joined with ", ", or its error.
  bool error = false;
  std::vector<std::string_view> nodes;  ///< By name. Views into the explanation.
  std::size_t evictable = 0;            ///< Nodes that eviction might help: all failures are resolvable.
  /// The rules that fail after the first, each with its number of nodes, the most frequent first.
  std::vector<std::pair<std::string_view, std::size_t>> behind;
};

/// The groups of the nodes that do not fit, the largest first.
std::vector<FailureGroup> group_failures(const Explanation& explanation);

/// The text that kube-scheduler writes into the events of a pod that fits nowhere (FitError.Error()): "0/5
/// nodes are available: 2 node(s) were unschedulable, 3 Insufficient cpu." The reasons of each node's first
/// failure are counted. With `every_failure` (alwaysCheckAllPredicates) those of all its failures are.
std::string fit_error(const Explanation& explanation, bool every_failure);

}  // namespace winnow
