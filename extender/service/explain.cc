// The verb explain: every rule's verdict and score for every node. {"Pod": …} or {"Namespace": …, "Name": …},
// with NodeNames or Nodes for some nodes only: a body that kube-scheduler sent does as it is.
#include "extender/explain/explain.h"

#include "extender/explain/json.h"
#include "extender/service/extender.h"
#include "extender/service/question.h"

namespace winnow {

namespace {

/// The node, where the pod is assumed.
std::optional<std::string> on_its_way_to(const Question& question) {
  const ObjectMeta& meta = question.pod().metadata;
  const AssumedPods::Entry* const entry = question.assumed().find(meta.namespace_, meta.name);
  return entry && entry->uid == meta.uid ? std::optional(entry->node) : std::nullopt;
}

}  // namespace

void Extender::explain(Call& call) {
  Question question(*call.world.picture, order_);
  if (!read_question(call, question, /*needs_nodes=*/false)) return;
  if (question.has_pod()) {
    question.set_apart();
  } else {
    const auto name = question.named_pod();
    if (!name)
      return refuse(call, 400, Result::kBadRequest,
                    R"(bad request body: expected {"Pod": …} or {"Namespace": …, "Name": …})");
    const PodId id = question.state().find_pod(name->first, name->second);
    if (id == kNone) {
      std::string line = "pod ";
      append_quoted(line, name->first + '/' + name->second);
      return refuse(call, 404, Result::kNotFound, line + " is not in the picture of the cluster");
    }
    question.ask_about(id);
    call.pod = name->first + '/' + name->second;
    call.engine = call.world.engines->find(question.pod());
  }
  if (!call.engine) {
    append_json(call.response.body, explain_no_profile(question.pod()));
    call.response.body += '\n';
    return;
  }
  std::optional<std::string> assumed = on_its_way_to(question);
  Explainer explainer(*call.engine, {options_.scale, options_.seed});
  std::vector<NodeId> nodes = question.asks_for_nodes() ? question.known() : question.view().all_nodes();
  call.record.nodes = static_cast<std::int64_t>(nodes.size());
  explainer.ask(question.view(), question.pod(), std::move(nodes), call.times);
  question.unlock();
  Explanation explanation = explainer.tell();
  explanation.assumed = std::move(assumed);
  call.record.feasible = explanation.feasible;
  append_json(call.response.body, explanation);
  call.response.body += '\n';
  call.times.lap(Pass::kEncode);
}

}  // namespace winnow
