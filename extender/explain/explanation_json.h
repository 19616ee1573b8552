// An explanation as JSON, written and read.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "extender/explain/explanation.h"

namespace winnow {

/// Appends `explanation` as one JSON object on one line, without a newline. The order of the fields is stable
/// from release to release; fields are added, never renamed. The result is valid UTF-8 for any strings: each
/// byte that is part of no character becomes U+FFFD.
///
/// `selected` is null if no node was selected. `assumed`, `error`, `node`, `nominated`, `refused` and
/// `preemption` are present only if they have a value, `gates` only if the pod has some. If a preemption
/// would evict no pods, it has `message` instead of node and victims. It has `candidates` and `of` only if
/// not all candidates were tried.
///
/// A filter's `skipped` and a score's are present only if true. `resolvable` and `reasons` are present only
/// if the rule refuses the node. `scores`, `total` and `answer` are present only for nodes that fit and have
/// been scored. A node that alone fits and could not be scored has `scoreError` in their place.
///
/// `held` is present only if a node refuses the pod because of places that are held there. A place has
/// `manager`, `seconds` and amounts only as far as they are known, and not 0.
void append_json(std::string& out, const Explanation& explanation);
/// Appends the members preemption, held, those of what would help, and keptOut, each with a comma before it.
void append_prospects(std::string& out, const Explanation& explanation);
/// Appends `,"held":[…]` of an explanation, or nothing for none.
void append_held_places(std::string& out, const std::vector<HeldPlace>& held);
/// Appends {"kind":…} with the cause's fields.
void append_cause(std::string& out, const Cause& cause);

// An explanation read from JSON.

/// Reads what append_json() writes, of this release or another one: unknown fields are ignored. The number of
/// the victims' candidates is known only where not all of them were tried, as append_json() has it.
/// @return the explanation, or one line: the field, what is there, and what was expected.
std::expected<Explanation, std::string> read_explanation(const std::string& json);

}  // namespace winnow
