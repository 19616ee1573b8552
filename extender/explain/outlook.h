// The lines of an explanation about what is not judged, and the pod's assumption, nomination, refusals and
// preemption.
#pragma once

#include <string>
#include <vector>

#include "extender/explain/explanation.h"
#include "extender/explain/table_options.h"

namespace winnow {

/// "waits for its scheduling gates: a, b"; for a pod that has some.
std::string waits_for_gates(const std::vector<std::string>& gates);

/// Appends one line for each of these that the explanation has: not judged, assumed, nominated, not
/// nominated, refused, preemption.
void append_outlook(std::string& out, const Explanation& explanation, const TableOptions& options);

}  // namespace winnow
