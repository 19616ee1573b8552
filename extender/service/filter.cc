// The verb filter: which of the nodes asked about the pod can run on.
#include "extender/service/extender.h"
#include "extender/service/hold.h"
#include "extender/service/question.h"

namespace winnow {
namespace {

bool was_refused(const Pod& pod) {
  return std::ranges::any_of(pod.status.conditions, [](const PodCondition& condition) {
    return condition.type == "PodScheduled" && condition.status == "False";
  });
}

}  // namespace

void Extender::filter(Call& call) {
  if (const std::string why = unusable(); !why.empty()) return filter_error(call, why);
  auto deciding = this->deciding(call);
  Question question(*call.world.picture, order_);
  if (options_.assume) question.release_assumed();
  if (!read_question(call, question, /*needs_nodes=*/true)) return;
  // With the picture locked: what it does not have yet is told later. That the pod gave back its own place,
  // on being asked about, is told already.
  News::Count news = call.world.picture->news().count();
  notice_sampling(question);
  Hold hold = hold_for(call, question);
  for (;;) {
    if (!call.engine) return filter_error(call, no_profile_error(question.pod()));
    const Judged judged = judge(call, question);
    const Hold::Seen seen{.news = news.for_others,
                          .told = question.assumed().told(),
                          .unknown_nodes = question.asked().size() - question.known().size()};
    const auto until = judged.fits() || !may_hold(question)
                           ? std::nullopt
                           : hold.next(seen, std::chrono::steady_clock::now());
    if (!until) {
      note_filtered(call, question, hold, seen, judged);
      return answer_filter(call, question, judged);
    }
    question.unlock();
    if (deciding) deciding.unlock();
    wait_for_news(call, news, *until);
    deciding = look_again(call, question, news);
  }
}

/// Once more, at the picture of now.
std::unique_lock<std::mutex> Extender::look_again(Call& call, Question& question, News::Count& news) {
  auto deciding = this->deciding(call);
  if (!deciding) call.world = world();
  question.look_again(*call.world.picture);
  news = call.world.picture->news().count();
  call.engine = call.world.engines->find(question.pod());
  call.record.unknown_nodes = question.asked().size() - question.known().size();
  return deciding;
}

Hold Extender::hold_for(const Call& call, const Question& question) {
  const Pod& pod = question.pod();
  return Hold(recency_, refusals_,
              {.uid = question.pod_key(),
               .version = to_number(pod.metadata.resource_version),
               .refused = was_refused(pod),
               .one_node = question.asked().size() == 1,
               .at = call.deadline - kPatience});
}

/// Who sends full nodes may be asking about a cluster that there is not.
bool Extender::is_of_this_cluster(const Question& question) {
  return question.form() == FilterAnswer::Form::kNames;
}

bool Extender::may_hold(const Question& question) const {
  return recency_.is_on() && is_of_this_cluster(question);
}

void Extender::note_filtered(Call& call, const Question& question, Hold& hold, const Hold::Seen& seen,
                             const Judged& judged) {
  if (!is_of_this_cluster(question)) return;
  const auto now = std::chrono::steady_clock::now();
  hold.end(!judged.fits(), now);
  if (judged.fits()) return refusals_.forget(question.pod_key());
  // kube-scheduler tries again after an error in any case.
  const bool doubtful = !judged.error && hold.is_doubtful(seen, now);
  // Of a nominated node alone kube-scheduler asks first, and forgets the answer.
  const bool is_last = question.asked().size() > 1 || question.pod().status.nominated_node_name.empty();
  const bool told = doubtful && is_last && doubts_.may_tell(hold.has_sign(), now);
  if (told) call.remark = Doubts::remark(hold.attempt());
  const ObjectMeta& meta = question.pod().metadata;
  refusals_.refused(hold.refusal(meta.namespace_, meta.name, seen, now, doubtful, told));
}

Extender::Judged Extender::judge(Call& call, const Question& question) const {
  const Engine& engine = *call.engine;
  Judged judged;
  if (engine.rules().generation == Generation::kClassic)
    judged.error = basic_checks(question.pod(), question.view());
  if (judged.error) return judged;
  judged.filtered = engine.filter(question.request(question.known()),
                                  engine.rules().always_check_all_predicates, call.times);
  judged.error = judged.filtered.error();
  for (std::size_t i = 0; i < question.known().size() && !judged.error; ++i)
    judged.feasible += judged.filtered.fits(i);
  return judged;
}

void Extender::answer_filter(Call& call, Question& question, const Judged& judged) {
  if (judged.error) return filter_error(call, *judged.error);
  const Filtered& filtered = judged.filtered;
  std::vector<std::uint8_t> fits(question.asked().size(), 0);
  call.record.feasible = judged.feasible;
  call.rejected.assign(call.world.engines->predicate_names().size(), 0);
  for (std::size_t i = 0; i < question.known().size(); ++i) {
    if (filtered.fits(i))
      fits[question.places()[i]] = 1;
    else
      ++call.rejected[call.world.engines->predicate_index(*call.engine, filtered.failed_by[i])];
  }
  if (options_.answer == AnswerMode::kBest && judged.fits() && answer_best(call, question, filtered)) return;
  // With one node left kube-scheduler does not ask which is best.
  std::string only;
  if (options_.answer == AnswerMode::kOne && judged.feasible == 1)
    for (std::size_t i = 0; i < question.known().size(); ++i)
      if (filtered.fits(i)) only = question.view().node_name(question.known()[i]);
  const std::vector<std::uint8_t> beyond_help = this->beyond_help(question, filtered);
  question.unlock();
  if (!only.empty()) assume(call, question, only);
  encode_filter(call, question, filtered, fits, beyond_help);
}

bool Extender::answer_best(Call& call, Question& question, const Filtered& filtered) {
  std::vector<NodeId> feasible;
  std::vector<std::uint32_t> places;
  for (std::size_t i = 0; i < question.known().size(); ++i)
    if (filtered.fits(i)) {
      feasible.push_back(question.known()[i]);
      places.push_back(question.places()[i]);
    }
  std::optional<std::size_t> chosen = 0;
  if (feasible.size() > 1) {
    const auto scored = call.engine->prioritize(question.request(feasible), /*keep_raw=*/false, call.times);
    if (!scored) {
      filter_error(call, scored.error());
      return true;
    }
    chosen = pick(question, feasible, scored->totals);
  }
  const std::string node(question.view().node_name(feasible[*chosen]));
  picks_.answered(question.pod_key(), node);
  call.times.lap(Pass::kSelect);
  question.unlock();
  assume(call, question, node);
  // The nodes that were not picked are left out: kube-scheduler reads the maps only when no node is left.
  FilterAnswer answer(call.response.body, question.form());
  const std::uint8_t fits[] = {1};
  answer.feasible(std::span(question.asked()).subspan(places[*chosen], 1), fits);
  answer.begin_failed();
  answer.begin_unresolvable();
  answer.finish();
  call.times.lap(Pass::kEncode);
  return true;
}

}  // namespace winnow
