// The verb bind: binds a pod to its node in place of kube-scheduler.
//
// The binding takes a round trip to an API server, during which no lock is held. So the pod is assumed
// before, and the result noted after, each in the cache in force at that moment: a reload may come in
// between. If it is unknown whether the pod was bound, it stays assumed. To free its place too early could
// put two pods there.
#include "cluster/client/servers/binder.h"
#include "cluster/text/json.h"
#include "extender/explain/decision_log.h"
#include "extender/service/log/log.h"
#include "extender/service/metrics/live_metrics.h"
#include "extender/service/metrics/metrics.h"
#include "extender/service/protocol/args.h"
#include "extender/service/scheduling/decision_records.h"
#include "extender/service/verbs/call.h"
#include "extender/service/verbs/routes.h"

namespace winnow {
namespace {

bool is_of(const AssumedPods::Entry* entry, const live::Binding& binding) {
  return entry && entry->uid == binding.uid && entry->node == binding.node;
}

/// Assumes the pod on its node, unless it is assumed there already.
void assume_bound(AssumedPods& pods, const live::Binding& binding) {
  if (is_of(pods.find(binding.ns, binding.name), binding)) return;
  pods.assume_known(binding.ns, binding.name, binding.uid, binding.node, std::chrono::steady_clock::now());
}

/// A pod that may be bound after all stays assumed until the watch or a later call shows its state.
void note_result(AssumedPods& pods, const live::Binding& binding, const live::BindResult& result) {
  if (result.bound())
    pods.set_bound(binding.ns, binding.name, binding.uid, binding.node);
  else if (result.outcome != live::BindOutcome::kUnknown &&
           is_of(pods.find(binding.ns, binding.name), binding))
    pods.release(binding.ns, binding.name, binding.uid, AssumedOutcome::kBindFailed);
}

/// Keeps that the pod is to be bound. What becomes of it is noted later.
void record_begin(DecisionLog& log, const live::Binding& binding, std::string_view request_id) {
  DecisionRecord record;
  record.request_id = request_id;
  record.pod = binding.ns + '/' + binding.name;
  record.uid = binding.uid;
  record.verb = DecisionVerb::kBind;
  record.time = std::chrono::system_clock::now();
  add_only(record, binding.node, /*given=*/false);
  log.keep(std::move(record));
}

void record_end(DecisionLog& log, const live::Binding& binding, const live::BindResult& result) {
  if (result.bound())
    log.on_bound(binding.ns, binding.name, binding.uid, binding.node);
  else if (result.outcome != live::BindOutcome::kUnknown)
    log.on_bind_failed(binding.ns, binding.name, binding.uid, result.error);
}

void answer(http::Response& response, std::string_view error) {
  std::string text(error);
  std::erase(text, '%');  // kube-scheduler uses the error as a format string.
  append_quoted_line(response.body += R"({"Error":)", text);
  response.body += '}';
}

}  // namespace

namespace verbs {

void bind(VerbContext& context, Call& call, Reply& reply) {
  if (context.options.shadow) {
    reply.result = Result::kError;
    return answer(reply.response, "winnow: " + context.why_no_answer());
  }
  warn_of(context.setup.on_bind());
  if (!context.options.binds) {
    reply.result = Result::kError;
    return answer(
        reply.response,
        "winnow: binding is off; leave bindVerb out of the extender's configuration, or start Winnow "
        "with --enable-bind");
  }
  const auto binding = read_binding(call.body);
  if (!binding) return reply.refuse_body(binding.error());
  reply.pod = binding->ns + '/' + binding->name;
  context.decisions.change_assumed(call.active, [&](AssumedPods& pods) { assume_bound(pods, *binding); });

  DecisionLog* const log = context.services.decision_log.get();
  if (log) record_begin(*log, *binding, call.request_id);

  const auto start = std::chrono::steady_clock::now();
  const live::BindResult result = context.services.cluster->bind(*binding, call.deadline());
  context.decisions.change_assumed(call.active,
                                   [&](AssumedPods& pods) { note_result(pods, *binding, result); });
  if (log) record_end(*log, *binding, result);
  context.metrics.live().observe_bind(
      result.outcome, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  if (!result.bound()) {
    reply.result = Result::kError;
    log_warn("bind failed", {{"pod", reply.pod}, {"node", binding->node}, {"error", result.error}});
  }
  answer(reply.response, result.bound() ? "" : "winnow: bind: " + result.error);
}

}  // namespace verbs

}  // namespace winnow
