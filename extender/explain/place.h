// Where a pod would go, after a change that is tried.
#pragma once

#include <cstddef>
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

struct Place {
  std::string node;
  std::size_t nodes = 0;  ///< How many nodes the pod fits.
};

/// Asks the engine about some nodes, by their names: each view of a change has ids of its own. What is given
/// outlives it. Throws OutOfTime.
class Placing {
 public:
  /// @param view  of the state that all other views are of.
  Placing(const Engine& engine, const View& view, std::span<const NodeId> nodes, const Budget* budget);

  /// The best of the nodes that the view has. @param added  one more node; "": none.
  /// @return nothing if the pod fits none, or cannot be placed.
  std::optional<Place> find(const View& view, const Pod& pod, const std::string& added = "") const;
  /// Whether the pod fits that node.
  bool fits(const View& view, const Pod& pod, const std::string& node) const;

 private:
  const Engine& engine_;
  struct Node {
    std::string name;
    NodeId row;  ///< In the view that was given.
  };
  std::vector<Node> nodes_;  ///< By name.
  const Budget* const budget_;
};

}  // namespace winnow
