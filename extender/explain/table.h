// An explanation as a table for people, and its lines about what is not judged and about the pod's state:
// its assumption, nomination, refusals and preemption.
#pragma once

#include <string>
#include <vector>

namespace winnow {

struct Explanation;
struct Help;
struct TableOptions;

/// "waits for its scheduling gates: a, b"; for a pod that has some.
std::string waits_for_gates(const std::vector<std::string>& gates);

/// Appends one line for each of these that the explanation has: not judged, assumed, nominated, not
/// nominated, refused, preemption.
void append_outlook(std::string& out, const Explanation& explanation, const TableOptions& options);

/// Appends what would help, under a heading; or that nothing that was tried does, and why a new node does
/// not.
void append_help(std::string& out, const Help& help, const TableOptions& options);

// An explanation as a table for people.
//
// It has the pod's headline; the state of the pod; the feasible nodes as a matrix, best first
// (matrix.h); and the other nodes, grouped by reason. Results that all nodes share are printed
// once, so that 5,000 nodes fit on a screen.

/// Appends the headline, as one line or more. It has the pod and its result: the node selected, the error, or
/// the text that kube-scheduler would write into the pod's events.
void append_headline(std::string& out, const Explanation& explanation, const TableOptions& options);

/// Appends the headline and the tables, ending with a newline. Control characters in the explanation's texts
/// have no effect on the terminal.
void append_table(std::string& out, const Explanation& explanation, const TableOptions& options);

}  // namespace winnow
