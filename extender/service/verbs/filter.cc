// The verb filter: finds the nodes of the request on which the pod can run.
//
// The call looks at the cache once or several times. A look's result is plain data (Look), which outlives
// the cache's lock. A refusal may be held until the watch has caught up (extender/service/scheduling): the
// call then looks again after each news. The last look's result is noted for later calls, and the answer is
// made of it and of the request's text.
#include <algorithm>
#include <optional>

#include "cluster/api/pod.h"
#include "cluster/memory_budget.h"
#include "extender/service/scheduling/compute_limiter.h"
#include "extender/service/scheduling/decision_records.h"
#include "extender/service/scheduling/scheduler_filters.h"
#include "extender/service/verbs/call.h"
#include "extender/service/verbs/filter_answer.h"
#include "extender/service/verbs/routes.h"

namespace winnow {
namespace {

bool was_refused(const Pod& pod) { return std::ranges::any_of(pod.status.conditions, is_refusal); }

/// The one node with which the pod is answered.
struct GivenNode {
  std::string name;
  std::size_t place = 0;  ///< Index among the nodes asked about.
};

/// The result of one look at the cache.
struct Look {
  FeasibleNodes judged;                         ///< The call fails with its error.
  std::optional<RefusalHold::Time> until = {};  ///< Set if the call is held: when to look again.
  std::string remark = {};                      ///< Appended to each reason of a refusal.
  std::vector<std::uint8_t> beyond_help = {};   ///< See append_filter_answer().
  std::optional<GivenNode> given = {};
  std::vector<AssumedPods::Attempt> not_counted = {};  ///< See take_schedulers_word().
  std::optional<DecisionRecord> record = {};           ///< Nothing: not kept.

  bool fits() const { return judged.fits(); }
};

/// Marks the nodes that have pods of lower priority. For a pod that fits nowhere; see FailedNodes::kQuiet.
std::vector<std::uint8_t> find_beyond_help(const LockedRequest& located) {
  std::vector<std::uint8_t> marks;
  const std::int32_t priority = located.pod().spec.priority.value_or(0);
  for (std::size_t i = 0; i < located.known().size(); ++i) {
    const std::string_view name = located.view().node_name(located.known()[i]);
    const NodeId node = located.state().find_node(name);
    if (node == kNone || name == located.pod().status.nominated_node_name ||
        !located.state().has_lower_priority(node, priority))
      continue;
    marks.resize(located.known().size(), 0);
    marks[i] = 1;
  }
  return marks;
}

/// One call.
class FilterCall {
 public:
  FilterCall(VerbContext& context, Call& call, Reply& reply)
      : context_(context), call_(call), reply_(reply), question_(std::move(call.body)) {}

  /// Looks until the result is final, and answers.
  void answer() {
    std::optional<Look> look = first_look();
    for (; look && look->until; look = look_again()) {
      question_.finish_release(*call_.active.cache);
      if (deciding_) deciding_.unlock();
      wait_for_news(call_.active, news_, *look->until, context_.decisions, context_.limiter);
      reply_.times.lap(Pass::kHold);
    }
    if (look) conclude(*look);
  }

 private:
  std::optional<Look> first_look();
  Look look_again();
  Look look(const LockedRequest& located);
  Look judge_nodes(const LockedRequest& located);
  void note(const LockedRequest& located, const Engine& engine, const RefusalHold::Seen& seen, Look& look);
  void record(const LockedRequest& located, const Engine* engine, const RefusalCounts& refusals, Look& look);
  void give_node(const LockedRequest& located, const Engine& engine, Look& look);
  void give_best(const LockedRequest& located, const Engine& engine, Look& look);
  void count_rejected(const Engine& engine, const Filtered& filtered);
  void note_doubts(const Look& look);
  void conclude(Look& look);

  VerbContext& context_;
  Call& call_;
  Reply& reply_;
  NodeRequest question_;
  DecisionLock::Lock deciding_;
  ChangeNotifier::Count news_;       ///< The count when the last look began.
  std::optional<RefusalHold> hold_;  ///< Set by the first look.
};

/// @return nothing if the body was wrong; the call has been answered then.
std::optional<Look> FilterCall::first_look() {
  deciding_ = context_.decisions.decide_alone(call_.active);
  const auto located =
      read_question(question_, context_, call_, reply_,
                    context_.options.assume ? IfAssumed::kIsReleased : IfAssumed::kStays, Nodes::kRequired);
  if (!located) return std::nullopt;
  // Counted with the cache locked: what the cache lacks now is counted as news later. The release of this
  // pod's own place has been counted already.
  news_ = call_.active.cache->news().count();
  context_.sampling.look_at(located->known(), located->view().node_count(), context_.metrics.live());
  const Pod& pod = question_.pod();
  hold_.emplace(context_.holds.begin({.uid = question_.pod_key(),
                                      .version = to_number(pod.metadata.resource_version),
                                      .refused = was_refused(pod),
                                      .one_node = question_.node_count() == 1,
                                      .at = call_.arrived}));
  return look(*located);
}

/// Looks at the cache in force, which may be another one than before.
Look FilterCall::look_again() {
  deciding_ = context_.decisions.decide_alone(call_.active);
  if (!deciding_) call_.active = context_.decisions.active();
  const LockedRequest located = question_.look_again(*call_.active.cache);
  news_ = call_.active.cache->news().count();
  reply_.unknown_nodes = question_.unknown_count();
  return look(located);
}

Look FilterCall::look(const LockedRequest& located) {
  if (call_.trace) recall_picks(call_.trace.get(), context_.picker, question_.pod_key());
  Look look = judge_nodes(located);
  if (call_.trace && !look.until) call_.trace->looked(call_.active);
  return look;
}

Look FilterCall::judge_nodes(const LockedRequest& located) {
  const Engine* const engine = call_.active.engines->find(question_.pod());
  RefusalCounts refusals;
  if (!engine) {
    Look none{.judged = {.error = no_profile_error(question_.pod())}};
    record(located, engine, refusals, none);
    return none;
  }
  RefusalCounts* const counted = context_.options.decision_log ? &refusals : nullptr;
  Look look{.judged = find_feasible_nodes(located.request(located.known()), *engine, reply_.times, counted)};
  const RefusalHold::Seen seen{.news = news_.for_others,
                               .told = located.assumed().watched_version(),
                               .unknown_nodes = question_.unknown_count()};
  if (!look.fits() && !look.judged.error && question_.is_of_this_cluster())
    look.not_counted =
        take_schedulers_word(located, *engine, context_.options.scheduler_filters, look.judged, reply_.times);
  const bool may_hold = context_.holds.is_on() && question_.is_of_this_cluster();
  if (!look.fits() && may_hold) look.until = hold_->next(seen, std::chrono::steady_clock::now());
  if (look.until) return look;
  if (question_.is_of_this_cluster()) note(located, *engine, seen, look);
  record(located, engine, refusals, look);
  if (look.judged.error) return look;
  reply_.feasible = look.judged.feasible;
  count_rejected(*engine, look.judged.filtered);
  // kube-scheduler preempts only if no node fits.
  if (look.fits())
    give_node(located, *engine, look);
  else if (context_.options.failed_nodes == FailedNodes::kQuiet)
    look.beyond_help = find_beyond_help(located);
  return look;
}

/// Begins the decision's record, with the cache still locked. give_node() adds the pick.
void FilterCall::record(const LockedRequest& located, const Engine* engine, const RefusalCounts& refusals,
                        Look& look) {
  if (!context_.options.decision_log) return;
  look.record = record_of(DecisionVerb::kFilter, question_.pod(), located.changed());
  if (engine) look.record->rules = call_.active.engines->rule_names(*engine);
  add_judged(*look.record, {.request = located.request(located.known()),
                            .judged = look.judged,
                            .refusals = refusals,
                            .unknown_nodes = question_.unknown_count()});
}

/// Notes the result for later calls about the pod.
void FilterCall::note(const LockedRequest& located, const Engine& engine, const RefusalHold::Seen& seen,
                      Look& look) {
  const auto now = std::chrono::steady_clock::now();
  if (look.fits()) return context_.holds.note_fit(*hold_, question_.pod_key(), now);
  // kube-scheduler asks about the nominated node alone first, and drops that answer.
  const bool is_last = question_.node_count() > 1 || question_.pod().status.nominated_node_name.empty();
  look.remark = recall(call_.trace.get(), &CallMemory::remark, [&] {
    return context_.holds.note_refusal(
        *hold_, question_.pod(), seen, look.judged.error.has_value(), is_last,
        [&] { return held_place(located, engine, reply_.times); }, now);
  });
}

void FilterCall::count_rejected(const Engine& engine, const Filtered& filtered) {
  const Engines& engines = *call_.active.engines;
  reply_.rejected.assign(engines.predicate_names().size(), 0);
  if (reply_.feasible == static_cast<std::int64_t>(question_.places().size())) return;
  // By rule first: nodes are many, rules are few.
  std::vector<std::uint32_t> by_rule(filtered.bound.size(), 0);
  for (const std::uint16_t rule : filtered.failed_by)
    if (rule != Filtered::kNobody) ++by_rule[rule];
  for (std::size_t rule = 0; rule < by_rule.size(); ++rule)
    if (by_rule[rule] > 0) reply_.rejected[engines.predicate_index(engine, rule)] += by_rule[rule];
}

/// Chooses the one node for the pod, if the answer mode has one.
void FilterCall::give_node(const LockedRequest& located, const Engine& engine, Look& look) {
  if (context_.options.answer == AnswerMode::kBest) return give_best(located, engine, look);
  // kube-scheduler does not call prioritize for a single feasible node.
  if (look.judged.feasible != 1) return;
  const auto fit = std::ranges::find(look.judged.filtered.failed_by, Filtered::kNobody);
  const auto i = static_cast<std::size_t>(fit - look.judged.filtered.failed_by.begin());
  const std::string_view name = located.view().node_name(located.known()[i]);
  const bool given = context_.options.answer == AnswerMode::kOne;
  if (given) look.given = GivenNode{std::string(name), question_.places()[i]};
  if (look.record) add_only(*look.record, name, given);
}

void FilterCall::give_best(const LockedRequest& located, const Engine& engine, Look& look) {
  const auto best = pick_best(located.request(located.known()), look.judged.filtered, engine, context_.picker,
                              question_.pod_key(), reply_.times);
  if (!best) {
    look.judged.error = best.error();
    if (look.record) look.record->error = best.error();
    return;
  }
  if (look.record) add_best(*look.record, located.request(located.known()), *best, engine, /*given=*/true);
  const std::size_t place = best->place();
  look.given =
      GivenNode{std::string(located.view().node_name(located.known()[place])), question_.places()[place]};
  context_.picker.answered(question_.pod_key(), look.given->name);
  reply_.times.lap(Pass::kSelect);
}

/// Puts those pods in doubt that kube-scheduler does not count. The cache is unlocked.
void FilterCall::note_doubts(const Look& look) {
  if (look.not_counted.empty() || context_.options.replays) return;
  const auto now = std::chrono::steady_clock::now();
  call_.active.cache->write_pods([&](AssumedPods& pods) {
    for (const AssumedPods::Attempt& attempt : look.not_counted) pods.doubt(attempt, Doubt::kNotCounted, now);
  });
}

/// Assumes the pod and encodes the answer. The cache is unlocked.
void FilterCall::conclude(Look& look) {
  question_.finish_release(*call_.active.cache);
  note_doubts(look);
  if (look.record) context_.options.decision_log->put_aside(std::move(*look.record));
  if (look.judged.error) {
    reply_.result = Result::kError;
    return append_filter_error(reply_.response.body, *look.judged.error);
  }
  // With full nodes the caller may ask about nodes that do not exist (an autoscaler).
  if (look.given && question_.is_of_this_cluster())
    context_.decisions.assume(call_.active, question_.pod(), look.given->name,
                              call_.trace ? call_.trace->pod_text() : "");
  if (look.given && context_.options.answer == AnswerMode::kBest)
    append_picked_node(reply_.response.body, question_, look.given->place);
  else
    append_filter_answer(reply_.response.body, question_, look.judged.filtered, look.remark,
                         look.beyond_help);
  reply_.times.lap(Pass::kEncode);
}

/// kube-scheduler reads nothing but 200, and shows its Error.
void fail(Reply& reply, const std::string& error) {
  std::string().swap(reply.response.body);  // Assigning nothing would keep its memory.
  reply.result = Result::kError;
  append_filter_error(reply.response.body, "winnow: " + error);
}

void answer_filter(VerbContext& context, Call& call, Reply& reply) {
  try {
    FilterCall(context, call, reply).answer();
    if (const auto wrong = reply.drop_too_large(context.options.answer_bytes)) fail(reply, *wrong);
  } catch (const MemoryExceeded& exceeded) {
    fail(reply, exceeded.text());
  }
}

}  // namespace

namespace verbs {

void filter(VerbContext& context, Call& call, Reply& reply) {
  if (const std::string why = why_no_answer(context.options); !why.empty()) {
    reply.result = Result::kError;
    append_filter_error(reply.response.body, why);
  } else {
    answer_filter(context, call, reply);
  }
  if (reply.result != Result::kBadRequest) warn_of(context.setup.on_filter(reply.result == Result::kOk));
}

}  // namespace verbs

}  // namespace winnow
