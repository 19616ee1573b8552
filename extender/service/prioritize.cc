// The verb prioritize: how good each of the nodes asked about is. No predicate is run.
#include "extender/service/extender.h"
#include "extender/service/question.h"

namespace winnow {

void Extender::prioritize(Call& call) {
  Question question(picture_, order_);
  if (!read_question(call, question, /*needs_nodes=*/true)) return;
  if (!call.engine) return refuse(call, 500, Result::kInternal, no_profile_error(question.pod()));
  const std::vector<NodeId>& nodes = question.known();
  const auto scored = call.engine->prioritize(question.request(nodes), /*keep_raw=*/false, call.times);
  // There is no place for an error in this answer, and kube-scheduler goes on without scores.
  if (!scored) return refuse(call, 500, Result::kInternal, scored.error());

  std::vector<std::int64_t> answers(nodes.size(), 0);
  if (options_.answer == AnswerMode::kOne) {
    if (const auto chosen = pick(question, nodes, scored->totals)) answers[*chosen] = kMaxAnswer;
  } else {
    answers = scale_answers(*scored, call.engine->rules(), options_.scale);
  }
  call.times.lap(Pass::kSelect);
  question.unlock();

  // A host left out would lose its ties in kube-scheduler: one that is not known gets 0.
  std::vector<std::int64_t> by_place(question.asked().size(), 0);
  for (std::size_t i = 0; i < nodes.size(); ++i) by_place[question.places()[i]] = answers[i];
  std::vector<std::string_view> names;
  names.reserve(by_place.size());
  for (std::size_t i = 0; i < by_place.size(); ++i) names.push_back(question.quoted_name(i));
  append_priorities(call.response.body, names, by_place);
  call.record.feasible = static_cast<std::int64_t>(nodes.size());
  call.times.lap(Pass::kEncode);
}

}  // namespace winnow
