// An explanation for people.
//
// The pod's headline; what is under way for it (outlook.h); the feasible nodes as a matrix, best first
// (matrix.h); the others in groups, by why (failures.h). What is the same for every node is said once, so
// that 5,000 nodes fit a screen.
#pragma once

#include <cstddef>
#include <string>

#include "extender/explain/explanation.h"

namespace winnow {

struct TableOptions {
  bool colour = false;         ///< Without it, no escape byte is written.
  int width = 80;              ///< No line is wider; less than 40 counts as 40, 0 means unlimited.
  bool all_nodes = false;      ///< Every node is named, however many there are.
  std::size_t max_nodes = 10;  ///< Rows of the matrix otherwise.
  bool every_failure =
      false;  ///< The headline counts all failures of a node, as under alwaysCheckAllPredicates.
};

/// Appends the pod and what became of it, as a line (or more, if the width does not suffice): the node
/// selected, the error, or what kube-scheduler would write into the pod's events.
void append_headline(std::string& out, const Explanation& explanation, const TableOptions& options);

/// Appends the headline and the tables, ending with a newline. Texts of the explanation cannot steer the
/// terminal.
void append_table(std::string& out, const Explanation& explanation, const TableOptions& options);

/// Where the matrix or a paragraph has to end: `options.width` as the functions above read it.
std::size_t line_width(const TableOptions& options);

}  // namespace winnow
