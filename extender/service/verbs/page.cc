// The verbs of the page for people: the page itself, and what it asks for. All of them only read.
#include <charconv>
#include <cstddef>
#include <format>

#include "cluster/text/encoding.h"
#include "cluster/text/go_format.h"
#include "extender/explain/explain.h"
#include "extender/service/page/page_figures.h"
#include "extender/service/page/pod_page.h"
#include "extender/service/verbs/call.h"
#include "extender/service/verbs/routes.h"

namespace winnow {

namespace verbs {
VerbFunction explain;
}  // namespace verbs

namespace {

/// Scripts and styles from here alone, none of them inline; nobody frames the page.
constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri "
    "'none'; "
    "form-action 'none'; frame-ancestors 'none'";

void answer_json(Reply& reply, std::string json) {
  reply.response.headers.emplace_back("Cache-Control", "no-store");
  reply.response.headers.emplace_back("X-Content-Type-Options", "nosniff");
  reply.response.body = std::move(json);
}

ExplainOptions explaining(const VerbContext& context) {
  return {context.options.scale, context.options.seed};
}

}  // namespace

namespace verbs {

void page_asset(const Asset& asset, Reply& reply) {
  http::Response& response = reply.response;
  response.content_type = asset.content_type;
  response.headers.emplace_back("Content-Security-Policy", kPolicy);
  response.headers.emplace_back("X-Content-Type-Options", "nosniff");
  response.headers.emplace_back("Referrer-Policy", "no-referrer");
  response.headers.emplace_back("Cache-Control", "no-cache");
  response.body = asset.text;
}

void page_overview(VerbContext&, Call& call, Reply& reply) {
  const ClusterCache::ReadGuard state = call.active.cache->read();
  answer_json(reply, overview_json(*state, query_value(call.query, "resource")));
}

void page_names(VerbContext&, Call& call, Reply& reply) {
  const std::string text = query_value(call.query, "from");
  std::size_t from = 0;
  std::from_chars(text.data(), text.data() + text.size(), from);
  const ClusterCache::ReadGuard state = call.active.cache->read();
  answer_json(reply, node_names_json(*state, from));
}

void page_node(VerbContext&, Call& call, Reply& reply) {
  const std::string name = query_value(call.query, "name");
  const ClusterCache::ReadGuard state = call.active.cache->read();
  auto json = node_json(*state, state.assumed(), HeldClocks{}, name);
  if (!json)
    return reply.refuse(404, Result::kNotFound,
                        "node " + go_quote(name) + " is not in the picture of the cluster");
  answer_json(reply, std::move(*json));
}

void page_pods(VerbContext&, Call& call, Reply& reply) {
  const ClusterCache::ReadGuard state = call.active.cache->read();
  answer_json(reply, found_pods_json(*state, state.assumed(), query_value(call.query, "text")));
}

void page_waiting(VerbContext& context, Call& call, Reply& reply) {
  const std::string node = query_value(call.query, "node");
  answer_json(reply, node.empty() ? context.waiting.json(call.active, explaining(context))
                                  : WaitingGroups::json_for(call.active, explaining(context), node));
}

/// explain, with the pod as people write it.
void page_try(VerbContext& context, Call& call, Reply& reply) {
  call.budget.check();  // The call may have waited for others.
  const auto pod = pod_as_json(std::move(call.body), [&] { call.budget.check(); });
  if (!pod) return reply.refuse_body(pod.error());
  call.body = "{\"Pod\":" + *pod + "}";
  explain(context, call, reply);
}

}  // namespace verbs

}  // namespace winnow
