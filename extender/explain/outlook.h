// What is under way for a pod, and what a preemption would do for it.
#pragma once

#include <string>

#include "extender/explain/explanation.h"
#include "extender/explain/table_options.h"

namespace winnow {

/// Appends a sentence a line for each thing that the explanation has: assumed, nominated, refused,
/// preemption.
void append_outlook(std::string& out, const Explanation& explanation, const TableOptions& options);

}  // namespace winnow
