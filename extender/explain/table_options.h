// How a table is set.
#pragma once

#include <cstddef>

namespace winnow {

struct TableOptions {
  bool colour = false;         ///< Without it, no escape byte is written.
  int width = 80;              ///< No line is wider; less than 40 counts as 40, 0 means unlimited.
  bool all_nodes = false;      ///< Every node is named, however many there are.
  std::size_t max_nodes = 10;  ///< Rows of the matrix otherwise.
  /// The headline counts all failures of a node, as under alwaysCheckAllPredicates.
  bool every_failure = false;
};

/// Where a line has to end: `width` as it is meant; 0 is unlimited.
std::size_t line_width(const TableOptions& options);

}  // namespace winnow
