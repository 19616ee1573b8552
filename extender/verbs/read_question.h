// How filter, prioritize and explain read their body.
#pragma once

#include <cstdint>
#include <optional>

#include "extender/calls/node_question.h"
#include "extender/verbs/call.h"
#include "extender/verbs/verb_context.h"

namespace winnow {

enum class Nodes : std::uint8_t { kRequired, kOptional };

/// Reads the question, locates it in the picture of call.serving, and notes in the reply what it asks about.
/// @param nodes  required: a question without a pod, or without nodes, is wrong.
/// @return nothing where the body is wrong: the call has been answered with what is.
std::optional<LocatedQuestion> read_question(NodeQuestion& question, VerbContext& context, const Call& call,
                                             Reply& reply, IfAssumed if_assumed, Nodes nodes);

}  // namespace winnow
