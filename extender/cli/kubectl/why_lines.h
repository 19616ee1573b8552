// Why a pod waits, in a few lines.
#pragma once

#include <string>

#include "extender/explain/explanation.h"

namespace winnow {

/// Appends a sentence on the gates that the pod waits for, if any, one on where it fits, and a line for each
/// reason of nodes that do not take it. Texts of the cluster cannot steer the terminal.
void append_why(std::string& out, const Explanation& explanation);
/// The same as one JSON object, with a newline.
void append_why_json(std::string& out, const Explanation& explanation);

}  // namespace winnow
