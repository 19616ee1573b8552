// The feasible nodes, best first, and the scores that tell them apart.
//
// Priorities that score every node alike are no columns: they decide nothing, and are listed below. Where the
// width does not suffice, header names lose "Priority", then are broken over lines; then the columns that
// differ least go, then names of nodes are shortened.
#pragma once

#include <string>

#include "extender/explain/explanation.h"
#include "extender/explain/table_options.h"

namespace winnow {

/// Appends the matrix, and lines for what it leaves out. Requires a node that fits.
void append_matrix(std::string& out, const Explanation& explanation, const TableOptions& options);

}  // namespace winnow
