// The verb explain: every rule's verdict and score for every node. {"Pod": …} or {"Namespace": …, "Name": …},
// with NodeNames or Nodes for some nodes only: a body that kube-scheduler sent does as it is.
#include "extender/explain/explain.h"

#include "extender/explain/json.h"
#include "extender/service/extender.h"
#include "extender/service/question.h"

namespace winnow {

namespace {

constexpr const char* kNothingAsked =
    R"(bad request body: expected {"Pod": …} or {"Namespace": …, "Name": …})";

void answer(http::Response& response, const Explanation& explanation) {
  append_json(response.body, explanation);
  response.body += '\n';
}

/// The pod of the picture that the request's pod is; kNone where it is another, or none.
PodId find_asked(const Question& question) {
  const ObjectMeta& meta = question.pod().metadata;
  const PodId id = question.state().find_pod(meta.namespace_, meta.name);
  return id != kNone && question.state().pod(id).uid == meta.uid ? id : kNone;
}

RefusalEntry entry_of(const Refusal& refusal, Refusal::Time now) {
  const auto since = [&](Refusal::Time then) { return std::chrono::duration<double>(now - then).count(); };
  RefusalEntry entry{.times = refusal.times, .seconds = since(refusal.refused)};
  if (refusal.would_fit) {
    entry.would_fit_on = refusal.node;
    entry.would_fit_seconds = since(*refusal.would_fit);
  }
  return entry;
}

}  // namespace

/// Where the picture has a pod.
struct Extender::Place {
  std::optional<std::string> assumed, bound;
  bool waits() const { return !assumed && !bound; }

  static Place of(const Question& question, PodId id) {
    if (id == kNone || !question.state().pod(id).assigned) return {};
    const PodRecord& record = question.state().pod(id);
    const AssumedPods::Entry* const entry =
        question.assumed().find(std::string(question.state().pod_namespace(record)), record.name);
    if (entry && entry->uid == record.uid) return {.assumed = entry->node, .bound = {}};
    return {.assumed = {}, .bound = question.state().node_name_of(id)};
  }
};

void Extender::explain(Call& call) {
  Question question(*call.world.picture, order_);
  if (!read_question(call, question, /*needs_nodes=*/false)) return;
  const auto named = question.has_pod() ? std::nullopt : question.named_pod();
  if (!question.has_pod() && !named) return refuse(call, 400, Result::kBadRequest, kNothingAsked);
  if (named) call.pod = named->first + '/' + named->second;
  // Filter would answer so, whatever the pod is.
  if (std::string why = unusable(); !why.empty()) {
    call.record.result = Result::kError;
    return answer(call.response, Explanation{.pod = call.pod, .error = std::move(why)});
  }

  const PodId id = named ? question.state().find_pod(named->first, named->second) : find_asked(question);
  if (named && id == kNone) {
    std::string line = "pod ";
    append_quoted(line, call.pod);
    return refuse(call, 404, Result::kNotFound, line + " is not in the picture of the cluster");
  }
  const Place place = Place::of(question, id);
  // One that is bound, as the API server shows it: nothing but its own node would fit.
  if (named || (place.bound && !question.pod().spec.node_name.empty()))
    question.ask_about(id);
  else
    question.set_apart();
  call.engine = call.world.engines->find(question.pod());
  if (!call.engine) return answer(call.response, explain_no_profile(question.pod()));
  explain_asked(call, question, place);
}

void Extender::explain_asked(Call& call, Question& question, const Place& place) {
  Explainer explainer(*call.engine, {options_.scale, options_.seed});
  std::vector<NodeId> nodes = question.asks_for_nodes() ? question.known() : question.view().all_nodes();
  call.record.nodes = static_cast<std::int64_t>(nodes.size());
  explainer.ask(question.view(), question.pod(), std::move(nodes), call.times);
  const auto now = std::chrono::steady_clock::now();
  if (place.waits())
    explainer.ask_preemption(question.view(), question.pod(),
                             {.deadline = std::min(call.deadline, now + options_.preview),
                              .resources_only = options_.answer == AnswerMode::kBest});
  question.unlock();
  Explanation explanation = explainer.tell();
  explanation.assumed = place.assumed;
  explanation.node = place.bound;
  if (const auto refusal = refusals_.find(question.pod_key()); refusal && place.waits())
    explanation.refused = entry_of(*refusal, now);
  call.record.feasible = explanation.feasible;
  answer(call.response, explanation);
  call.times.lap(Pass::kEncode);
}

}  // namespace winnow
