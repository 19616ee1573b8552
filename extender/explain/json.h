// An explanation for programs.
#pragma once

#include <string>

#include "extender/explain/explanation.h"

namespace winnow {

/// Appends `explanation` as one JSON object on one line, without a newline. The order of the fields is stable
/// from release to release; fields are added, never renamed. The result is valid UTF-8 whatever the strings
/// hold: each byte that belongs to no character becomes U+FFFD.
///
/// `selected` is null where no node was. `assumed`, `error`, `node`, `nominated`, `refused` and `preemption`
/// are there only if they have something to say. Where a preemption would evict nobody its `message` stands
/// in place of node and victims; `candidates` and `of` are there where not all candidates were asked about.
/// A filter's `skipped` and a score's are there only when true, `resolvable` and `reasons` only where the
/// rule refuses the node, and `scores`, `total` and `answer` only for nodes that fit, and have been scored.
void append_json(std::string& out, const Explanation& explanation);

}  // namespace winnow
