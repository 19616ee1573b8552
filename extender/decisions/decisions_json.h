// The answer of GET /decisions.
#pragma once

#include <cstddef>
#include <string>

#include "extender/decisions/decision_log.h"
#include "extender/decisions/decisions_query.h"

namespace winnow {

/// No answer is longer.
inline constexpr std::size_t kMostDecisionsBytes = 200'000;

/// {"decisions":[…],"more":N,"kept":N,"keeps":N} and a line end, the newest decision first. `more` counts
/// those that match and are left out, by the limit or for want of room; `kept` all that are kept.
std::string decisions_json(DecisionLog& log, const DecisionsQuery& query);

/// Appends one decision as an object. docs/what-if.md describes it.
void append_decision(std::string& out, const KeptDecision& decision);

}  // namespace winnow
