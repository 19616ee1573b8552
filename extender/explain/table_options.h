// The layout options of a table.
#pragma once

#include <cstddef>

namespace winnow {

/// Options of append_table() and its parts.
struct TableOptions {
  bool colour = false;         ///< If false, no escape byte is written.
  int width = 80;              ///< The longest line, in columns; below 40 counts as 40; 0: unlimited.
  bool all_nodes = false;      ///< Name all nodes, whatever their number.
  std::size_t max_nodes = 10;  ///< The rows of the matrix otherwise.
  /// The headline counts all failures of a node, as under alwaysCheckAllPredicates.
  bool every_failure = false;
};

/// The longest line in columns, after the minimum of 40 is applied; 0: unlimited.
std::size_t line_width(const TableOptions& options);

}  // namespace winnow
