// Whether one more node of the cluster's own kinds would take a pod, and if none would, why.
#pragma once

#include <optional>
#include <span>

#include "cluster/state/row_values.h"
#include "extender/explain/suggestions.h"

namespace winnow {

class Budget;
class Engine;
class Placing;
class View;
struct Pod;

/// What is found of new nodes.
struct NewNode {
  std::optional<Suggestion> suggestion;
  bool fits_no_empty_node = false;    ///< See Help, as the next one.
  std::optional<NoNewNode> why_none;  ///< Without a suggestion, where all kinds were tried.
};

/// Tries a node of each kind that the nodes are of, with the pods of DaemonSets on it: of those that would
/// hold the pod, the one with the least cpu. Throws OutOfTime.
NewNode find_new_node(const Engine& engine, const View& view, const Pod& pod, std::span<const NodeId> nodes,
                      const Placing& placing, const Budget* budget);

}  // namespace winnow
