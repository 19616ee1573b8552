// An explanation for people.
//
// The pod's headline; what is under way for it (outlook.h); the feasible nodes as a matrix, best first
// (matrix.h); the others in groups, by why (failures.h). What is the same for every node is said once, so
// that 5,000 nodes fit a screen.
#pragma once

#include <string>

#include "extender/explain/explanation.h"
#include "extender/explain/table_options.h"

namespace winnow {

/// Appends the pod and what became of it, as a line (or more, if the width does not suffice): the node
/// selected, the error, or what kube-scheduler would write into the pod's events.
void append_headline(std::string& out, const Explanation& explanation, const TableOptions& options);

/// Appends the headline and the tables, ending with a newline. Texts of the explanation cannot steer the
/// terminal.
void append_table(std::string& out, const Explanation& explanation, const TableOptions& options);

}  // namespace winnow
