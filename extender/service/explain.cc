// The verb explain: every rule's verdict and score for every node. {"Pod": …} or {"Namespace": …, "Name": …},
// with NodeNames or Nodes for some nodes only: a body that kube-scheduler sent does as it is.
#include "extender/explain/explain.h"

#include "extender/explain/json.h"
#include "extender/service/extender.h"
#include "extender/service/question.h"

namespace winnow {

void Extender::explain(Call& call) {
  Question question(*call.world.picture, order_);
  if (!read_question(call, question, /*needs_nodes=*/false)) return;
  std::optional<std::string> assumed;
  if (!question.has_pod()) {
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
    if (const AssumedPods::Entry* entry = question.assumed().find(name->first, name->second))
      assumed = entry->node;
    question.ask_about(id);
    call.pod = name->first + '/' + name->second;
    call.engine = call.world.engines->find(question.pod());
  }
  if (!call.engine) {
    append_json(call.response.body, explain_no_profile(question.pod()));
    call.response.body += '\n';
    return;
  }
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
