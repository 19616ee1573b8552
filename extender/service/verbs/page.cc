// The verbs of the page for people: the page itself, and what it asks for. All of them only read.
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <format>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "cluster/admission/pod_errors.h"
#include "cluster/expand/model_pods.h"
#include "cluster/text/encoding.h"
#include "cluster/text/go_format.h"
#include "cluster/text/json.h"
#include "extender/explain/explain.h"
#include "extender/service/page/page_figures.h"
#include "extender/service/page/pod_page.h"
#include "extender/service/verbs/call.h"
#include "extender/service/verbs/routes.h"
#include "extender/service/verbs/tried_pod.h"

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

std::size_t number_in_query(const Call& call, std::string_view name) {
  const std::string text = query_value(call.query, name);
  std::size_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// {"workloads":["Deployment shop/web",…],"which":N,"daemonSet":BOOL}
std::string about_json(const std::vector<ModelPod>& models, std::size_t which) {
  std::string out = "{\"workloads\":[";
  for (const ModelPod& model : models) {
    if (&model != &models.front()) out += ',';
    append_quoted(out, model.source);
  }
  return out + std::format("],\"which\":{},\"daemonSet\":{}}}", which, models[which].is_daemon_set);
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
  const ClusterCache::ReadGuard state = call.active.cache->read();
  answer_json(reply, node_names_json(*state, number_in_query(call, "from")));
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

/// explain, with the pod as people write it, or with one that a workload would make.
void page_try(VerbContext& context, Call& call, Reply& reply) {
  call.budget.check();  // The call may have waited for others.
  if (const auto pod = pod_as_json(call.body, [&] { call.budget.check(); })) {
    call.body = "{\"Pod\":" + *pod + "}";
    return explain(context, call, reply);
  }
  auto models = read_model_pods("the text", std::move(call.body));
  if (!models) return reply.refuse_body(models.error().message);
  const std::size_t which = std::min(number_in_query(call, "which"), models->size() - 1);
  std::string about = about_json(*models, which);
  ModelPod& model = (*models)[which];
  std::vector<FieldError> refused = pod_errors(model.pod, Stored::kNo);
  std::ranges::move(model.refused, std::back_inserter(refused));
  explain_tried(context, call, reply,
                {.pod = std::move(model.pod),
                 .classes = std::move(model.classes),
                 .refused = std::move(refused),
                 .not_judged = std::move(model.not_judged),
                 .about = std::move(about)});
}

}  // namespace verbs

}  // namespace winnow
