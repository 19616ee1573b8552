#include "extender/service/verbs/call.h"

#include <cstddef>
#include <format>
#include <optional>
#include <string>
#include <utility>

#include "cluster/text/characters.h"

namespace winnow {

void Reply::refuse(int status, Result how, std::string_view line) {
  result = how;
  response.status = status;
  response.content_type = "text/plain; charset=utf-8";
  response.body = one_line(line, kMostLineBytes) + '\n';
}

std::optional<std::string> Reply::drop_too_large(std::size_t most) {
  const std::size_t bytes = response.body.size();
  if (bytes <= most) return std::nullopt;
  std::string().swap(response.body);  // Assigning nothing would keep its memory.
  return std::format("the answer has {} bytes; with this memory limit at most {} are sent", bytes, most);
}

namespace {

/// The error for a request that lacks a pod or nodes; "" if it has both.
std::string lacks(const NodeRequest& question) {
  if (!question.has_pod()) return "Pod: the request has none";
  if (!question.asks_for_nodes())
    return "the request names no nodes: expected NodeNames (nodeCacheCapable: true) or Nodes";
  return {};
}

}  // namespace

std::optional<LockedRequest> read_question(NodeRequest& question, VerbContext& context, const Call& call,
                                           Reply& reply, IfAssumed if_assumed, Nodes nodes) {
  if (if_assumed == IfAssumed::kIsReleased && context.options.replays) if_assumed = IfAssumed::kIsLeftOut;
  auto located = question.read(*call.active.cache, context.node_order, if_assumed, &call.budget);
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
