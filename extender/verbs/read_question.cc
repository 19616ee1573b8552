#include "extender/verbs/read_question.h"

#include <string>
#include <utility>

namespace winnow {
namespace {

/// The error for a question that lacks a pod or nodes; "" if it has both.
std::string lacks(const NodeQuestion& question) {
  if (!question.has_pod()) return "Pod: the request has none";
  if (!question.asks_for_nodes())
    return "the request names no nodes: expected NodeNames (nodeCacheCapable: true) or Nodes";
  return {};
}

}  // namespace

std::optional<LocatedQuestion> read_question(NodeQuestion& question, VerbContext& context, const Call& call,
                                             Reply& reply, IfAssumed if_assumed, Nodes nodes) {
  if (if_assumed == IfAssumed::kIsReleased && context.options.replays) if_assumed = IfAssumed::kIsLeftOut;
  auto located = question.read(*call.serving.picture, context.node_order, if_assumed, &call.budget);
  const bool required = nodes == Nodes::kRequired;
  const std::string wrong = !located ? located.error() : required ? lacks(question) : std::string();
  if (!wrong.empty()) {
    reply.refuse_body(wrong);
    return std::nullopt;
  }
  reply.nodes = static_cast<std::int64_t>(question.node_count());
  reply.unknown_nodes = question.unknown_count();
  if (required) warn_of(context.setup.on_nodes(question.form() == FilterAnswer::Form::kNodes));
  if (question.has_pod()) reply.pod = pod_name_of(question.pod());
  reply.times.lap(Pass::kDecode);
  return *std::move(located);
}

}  // namespace winnow
