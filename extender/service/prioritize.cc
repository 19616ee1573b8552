// The verb prioritize: how good each of the nodes asked about is. No predicate is run.
#include "extender/service/extender.h"
#include "extender/service/question.h"

namespace winnow {

void Extender::prioritize(Call& call) {
  if (const std::string why = unusable(); !why.empty()) return refuse(call, 503, Result::kInternal, why);
  const bool decides = options_.answer == AnswerMode::kOne;
  const auto deciding = decides ? this->deciding(call) : std::unique_lock<std::mutex>();
  Question question(*call.world.picture, order_);
  // Where Winnow only scores, this is the call that says that the last attempt has failed.
  if (decides && options_.assume) question.release_assumed();
  if (!read_question(call, question, /*needs_nodes=*/true)) return;
  if (!call.engine) return refuse(call, 500, Result::kInternal, no_profile_error(question.pod()));
  const std::vector<NodeId>& nodes = question.known();
  const auto scored = call.engine->prioritize(question.request(nodes), /*keep_raw=*/false, call.times);
  // There is no place for an error in this answer, and kube-scheduler goes on without scores.
  if (!scored) return refuse(call, 500, Result::kInternal, scored.error());

  std::vector<std::int64_t> answers(nodes.size(), 0);
  std::string picked;
  if (decides) {
    if (const auto chosen = pick_that_fits(call, question, scored->totals)) {
      answers[*chosen] = kMaxAnswer;
      picked = question.view().node_name(nodes[*chosen]);
      picks_.answered(question.pod_key(), picked);
    }
  } else {
    answers = scale_answers(*scored, call.engine->rules(), options_.scale);
  }
  call.times.lap(Pass::kSelect);
  question.unlock();
  if (!picked.empty()) assume(call, question, picked);

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

/// Since the filter call another pod may have been put on the best node.
std::optional<std::size_t> Extender::pick_that_fits(const Call& call, const Question& question,
                                                    std::span<const std::int64_t> totals) const {
  const std::vector<NodeId>& nodes = question.known();
  const auto chosen = pick(question, nodes, totals);
  if (!options_.assume || !chosen) return chosen;
  PassTimes unused;
  const auto fits = [&](std::span<const NodeId> asked) {
    return call.engine->filter(question.request(asked), /*all_rules=*/false, unused);
  };
  if (fits({&nodes[*chosen], 1}).fits(0)) return chosen;
  const Filtered filtered = fits(nodes);
  std::vector<std::size_t> places;
  std::vector<NodeId> left;
  std::vector<std::int64_t> their_totals;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (filtered.fits(i)) {
      places.push_back(i);
      left.push_back(nodes[i]);
      their_totals.push_back(totals[i]);
    }
  const auto again = pick(question, left, their_totals);
  return again ? std::optional(places[*again]) : std::nullopt;
}

}  // namespace winnow
