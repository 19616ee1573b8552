// A decision in one sentence for people.
#pragma once

#include <string>

#include "extender/decisions/decision_log.h"

namespace winnow {

/// "it went to node-7: 722 against 672 for node-1; NodeAffinity made the difference (+50), bound there 0.1 s
/// later", or "nowhere: 0/5 nodes are available: 3 Insufficient cpu." Its texts are the cluster's, so it is
/// to be made printable.
std::string decision_text(const KeptDecision& decision);

}  // namespace winnow
