// An explanation as a table for people.
//
// It has the pod's headline; the state of the pod (outlook.h); the feasible nodes as a matrix, best first
// (matrix.h); and the other nodes, grouped by reason (failures.h). Results that all nodes share are printed
// once, so that 5,000 nodes fit on a screen.
#pragma once

#include <string>

#include "extender/explain/explanation.h"
#include "extender/explain/table_options.h"

namespace winnow {

/// Appends the headline, as one line or more. It has the pod and its result: the node selected, the error, or
/// the text that kube-scheduler would write into the pod's events.
void append_headline(std::string& out, const Explanation& explanation, const TableOptions& options);

/// Appends the headline and the tables, ending with a newline. Control characters in the explanation's texts
/// have no effect on the terminal.
void append_table(std::string& out, const Explanation& explanation, const TableOptions& options);

}  // namespace winnow
