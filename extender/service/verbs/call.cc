#include "extender/service/verbs/call.h"

#include <cstddef>
#include <format>
#include <optional>
#include <string>
#include <utility>

#include "cluster/text/characters.h"
#include "extender/service/scheduling/node_request.h"

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

std::string VerbContext::why_no_answer() const {
  if (options.shadow)
    return "this Winnow is a shadow (--shadow): it decides for itself, and answers no kube-scheduler";
  return services.cluster->unusable();
}

namespace {

/// The error for a request that lacks a pod or nodes; "" if it has both.
std::string lacks(const NodeRequest& request) {
  if (!request.has_pod()) return "Pod: the request has none";
  if (!request.asks_for_nodes())
    return "the request names no nodes: expected NodeNames (nodeCacheCapable: true) or Nodes";
  return {};
}

}  // namespace

bool decode(RequestReader& reader, Reply& reply) {
  const std::optional<std::string> wrong = reader.decode();
  if (wrong) reply.refuse_body(*wrong);
  return !wrong;
}

std::optional<LocatedRequest> locate(RequestReader& reader, VerbContext& context, const Call& call,
                                     Reply& reply, IfAssumed if_assumed, Nodes nodes) {
  const NodeRequest& request = reader.request();
  ClusterCache& cache = *call.active.cache;
  call.budget.check();  // The call may have waited for others.
  if (if_assumed == IfAssumed::kIsReleased && reader.knows_new_attempt())
    call.memory->release(cache, request.pod());
  auto located = reader.locate(cache, context.node_order, if_assumed);
  const bool required = nodes == Nodes::kRequired;
  const std::string wrong = !located ? located.error() : required ? lacks(request) : std::string();
  if (!wrong.empty()) {
    reply.refuse_body(wrong);
    return std::nullopt;
  }
  reply.nodes = static_cast<std::int64_t>(request.node_count());
  reply.unknown_nodes = located->unknown_count();
  if (required) warn_of(context.setup.on_nodes(request.form() == FilterAnswer::Form::kNodes));
  if (request.has_pod()) reply.pod = pod_name_of(request.pod());
  reply.times.lap(Pass::kDecode);
  return *std::move(located);
}

}  // namespace winnow
