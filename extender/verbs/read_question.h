// The first step of filter, prioritize and explain: reading the body.
#pragma once

#include <cstdint>
#include <optional>

#include "extender/calls/node_question.h"
#include "extender/verbs/call.h"
#include "extender/verbs/verb_context.h"

namespace winnow {

/// Whether a body without nodes is wrong.
enum class Nodes : std::uint8_t { kRequired, kOptional };

/// Reads the question, locates it in the picture of call.serving, and notes pod and nodes in the reply.
/// @param nodes  with kRequired, a body without a pod is wrong, and so is one without nodes.
/// @return nothing if the body is wrong; the call has been answered with the error then.
std::optional<LocatedQuestion> read_question(NodeQuestion& question, VerbContext& context, const Call& call,
                                             Reply& reply, IfAssumed if_assumed, Nodes nodes);

}  // namespace winnow
