// The rows of the matrix: the feasible nodes that are shown, and their names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "extender/explain/explanation.h"
#include "extender/explain/table_options.h"

namespace winnow {

/// The feasible nodes, as rows.
struct Rows {
  /// At least one node must fit. The explanation must outlive this.
  Rows(const Explanation& explanation, const TableOptions& options);

  std::vector<const NodeExplanation*> nodes;  ///< The nodes to show, then the others; each part best first.
  std::size_t shown = 0;  ///< The number to show: at most max_nodes + 2, and the selected node is one.
  const NodeExplanation* selected = nullptr;
  std::int64_t best = 0;           ///< The highest total.
  std::size_t ties = 0;            ///< The number of nodes with that total.
  std::vector<std::string> names;  ///< Of the nodes shown.
  std::string domain;              ///< The domain that drop_domain() has removed from the names.

  /// The width of the longest name.
  [[nodiscard]] std::size_t names_width() const;

  /// Removes the domain that all shown names share (".eu-west-1.compute.internal"), unless it is too short to
  /// matter.
  void drop_domain();
};

}  // namespace winnow
