// The verb bind: a pod is bound to its node, for kube-scheduler.
#include "cluster/decode/json_scan.h"
#include "cluster/live/binder.h"
#include "extender/log/log.h"
#include "extender/protocol/bind_args.h"
#include "extender/service/extender.h"

namespace winnow {
namespace {

bool is_of(const AssumedPods::Entry* entry, const live::Binding& binding) {
  return entry && entry->uid == binding.uid && entry->node == binding.node;
}

/// Counted on its node from now on, if it was not before.
void assume_bound(AssumedPods& pods, const live::Binding& binding) {
  const AssumedPods::Entry* entry = pods.find(binding.ns, binding.name);
  if (is_of(entry, binding)) return;
  auto pod = pods.known(binding.ns, binding.name);
  if (!pod || pod->metadata.uid != binding.uid) return;
  if (entry && entry->uid == binding.uid) {
    // The state keeps neither of these: what is old news stays old news.
    pod->status.nominated_node_name = entry->nominated;
    if (entry->refused) pod->status.conditions.push_back(*entry->refused);
  }
  pods.assume(*pod, binding.node, std::chrono::steady_clock::now());
}

/// A pod that may be bound after all stays where it is until the watch, or the next call, says what it is.
void note_result(AssumedPods& pods, const live::Binding& binding, const live::BindResult& result) {
  if (result.bound())
    pods.set_bound(binding.ns, binding.name, binding.uid, binding.node);
  else if (result.outcome != live::BindOutcome::kUnknown &&
           is_of(pods.find(binding.ns, binding.name), binding))
    pods.release(binding.ns, binding.name, binding.uid, AssumedOutcome::kBindFailed);
}

void answer(http::Response& response, std::string_view error) {
  std::string text(error);
  std::erase(text, '%');  // kube-scheduler uses it as a format string.
  append_quoted(response.body += R"({"Error":)", text);
  response.body += '}';
}

}  // namespace

void Extender::bind(Call& call) {
  notice(setup_.on_bind());
  if (!options_.bind) {
    call.record.result = Result::kError;
    return answer(
        call.response,
        "winnow: binding is off; leave bindVerb out of the extender's configuration, or start Winnow "
        "with --enable-bind");
  }
  const auto binding = read_binding(call.request.body);
  if (!binding) return refuse(call, 400, Result::kBadRequest, "bad request body: " + binding.error());
  call.pod = binding->ns + '/' + binding->name;
  change_assumed(call, [&](AssumedPods& pods) { assume_bound(pods, *binding); });

  const auto start = std::chrono::steady_clock::now();
  const live::BindResult result = options_.bind(*binding, call.deadline);
  change_assumed(call, [&](AssumedPods& pods) { note_result(pods, *binding, result); });
  metrics_.live().observe_bind(
      result.outcome, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  if (!result.bound()) {
    call.record.result = Result::kError;
    log_warn("bind failed", {{"pod", call.pod}, {"node", binding->node}, {"error", result.error}});
  }
  answer(call.response, result.bound() ? "" : "winnow: bind: " + result.error);
}

}  // namespace winnow
