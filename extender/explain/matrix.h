// The matrix of an explanation: the feasible nodes, best first, with the scores that differ.
//
// A priority that scores every node alike gets no column, and is listed below the matrix. If a line does not
// fit the width, the matrix is reduced in this order (columns.cc, rows.cc):
// - header names lose "Priority", and are then broken over lines;
// - the columns that differ least are left out, down to three;
// - names of nodes are shortened, down to 20 columns of text, and the other columns are left out.
//
// After any reduction but that of headers, the domain that all names share is dropped, and the columns are
// fitted again.
#pragma once

#include <string>

#include "extender/explain/explanation.h"
#include "extender/explain/table_options.h"

namespace winnow {

/// Appends the matrix, and lines for what it leaves out. At least one node must fit.
void append_matrix(std::string& out, const Explanation& explanation, const TableOptions& options);

}  // namespace winnow
