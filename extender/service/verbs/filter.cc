// The verb filter: finds the nodes of the request on which the pod can run.
//
// The passes are those of call.h. Locate, decide and choose are one look at the cache, from which plain data
// is left (FilterResult). A refusal may be held until the watch has caught up; the call then looks again
// after each news. The answer is made of the last look's result and of the request's text.
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "cluster/api/pod.h"
#include "cluster/memory_budget.h"
#include "cluster/state/state.h"
#include "extender/engine/claimed_devices.h"
#include "extender/engine/engines.h"
#include "extender/engine/preemption_candidates.h"
#include "extender/explain/decision_log.h"
#include "extender/explain/decision_record.h"
#include "extender/service/metrics/live_metrics.h"
#include "extender/service/metrics/metrics.h"
#include "extender/service/scheduling/decision_records.h"
#include "extender/service/scheduling/feasible_nodes.h"
#include "extender/service/scheduling/late_causes.h"
#include "extender/service/scheduling/node_request.h"
#include "extender/service/scheduling/scheduler_filters.h"
#include "extender/service/verbs/call.h"
#include "extender/service/verbs/filter_answer.h"
#include "extender/service/verbs/routes.h"

namespace winnow {
namespace {

bool was_refused(const Pod& pod) { return std::ranges::any_of(pod.status.conditions, is_refusal); }

/// The result of one look at the cache.
struct FilterResult {
  FeasibleNodes nodes;
  std::optional<std::string> error = {};               ///< The call fails with it.
  std::vector<std::uint32_t> places = {};              ///< See LocatedRequest::places().
  std::vector<AssumedPods::Attempt> not_counted = {};  ///< See take_schedulers_word().
  std::string remark = {};                             ///< Appended to each reason of a refusal.
  std::string fits_outside = {};  ///< A node that the call is not about, and that the pod fits; "": none.
  std::vector<std::uint8_t> beyond_help = {};  ///< See append_filter_answer().
  std::optional<std::size_t> chosen = {};      ///< The one node that the pod fits best: among the known ones.
  std::optional<BestNode> scored = {};         ///< With its scores, if there was a choice.
  std::string given = {};                      ///< The one node with which the pod is answered; "": none.
  std::vector<ClaimedDevices> devices = {};    ///< What the pod's claims get there.
  std::optional<DecisionRecord> record = {};   ///< Nothing: not kept.

  bool fits() const { return !error && nodes.fits(); }
};

/// Marks the nodes that have pods of lower priority. For a pod that fits nowhere; see FailedNodes::kQuiet.
std::vector<std::uint8_t> find_beyond_help(const LocatedRequest& located) {
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

/// The nodes of the cluster that the call is not about.
std::vector<NodeId> nodes_outside(const LocatedRequest& located) {
  std::vector<NodeId> nodes = located.view().all_nodes();
  if (located.known().size() >= nodes.size()) return {};
  std::vector<NodeId> asked(located.known().begin(), located.known().end());
  std::ranges::sort(asked);
  std::erase_if(nodes, [&](NodeId node) { return std::ranges::binary_search(asked, node); });
  return nodes;
}

/// Whether evictions may make room for the pod on one of these nodes. @param found  of them; none fits.
bool may_preempt_there(const LocatedRequest& located, const FeasibleNodes& found,
                       std::span<const NodeId> nodes) {
  const Pod& pod = located.pod();
  if (found.error || pod.spec.preemption_policy == "Never") return false;
  const std::int32_t priority = pod.spec.priority.value_or(0);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!may_help(found.filtered, i)) continue;
    // The view may have the node in a row of its own.
    const NodeId node = located.state().find_node(located.view().node_name(nodes[i]));
    if (node != kNone && located.state().has_lower_priority(node, priority)) return true;
  }
  return false;
}

/// One call.
class FilterCall {
 public:
  FilterCall(VerbContext& context, Call& call, Reply& reply)
      : context_(context),
        call_(call),
        reply_(reply),
        memory_(*call.memory),
        reader_(std::move(call.body), Origin::kScheduler, &call.budget) {}

  void answer() {
    if (!decode(reader_, reply_)) return;
    look_until_final(context_, call_, reply_, [this] { return look(); });
    if (reply_.result != Result::kBadRequest) encode();
    if (!causes_) return;
    reply_.afterwards = [causes = causes_, log = context_.services.decision_log] { causes->find(*log); };
  }

 private:
  std::optional<Held> look();

  // The passes of a look.
  std::optional<LocatedRequest> locate();
  void decide(const LocatedRequest& located);
  void choose(const LocatedRequest& located);
  void encode();

  // What hooks in between them.
  void begin_look(const LocatedRequest& located);
  std::optional<Held> hold();
  void look_outside(const LocatedRequest& located);
  void remember(const LocatedRequest& located);
  void count_rejected(const LocatedRequest& located);
  void record_decision(const LocatedRequest& located);
  void prepare_causes(const LocatedRequest& located);

  bool is_dropped() const;
  void choose_best(const LocatedRequest& located);
  void give(const LocatedRequest& located, std::size_t known);
  std::string name_of(const LocatedRequest& located, std::size_t known) const {
    return std::string(located.view().node_name(located.known()[known]));
  }

  VerbContext& context_;
  Call& call_;
  Reply& reply_;
  CallMemory& memory_;
  RequestReader reader_;
  const NodeRequest& request_ = reader_.request();
  std::optional<RefusalHold> hold_;  ///< Set by the first look.
  // Of the last look.
  DecisionLock::Lock deciding_;  ///< Held until the answer is encoded, or the call is held.
  ChangeNotifier::Count news_;   ///< The cache's count when it began.
  RefusalHold::Seen seen_;
  const Engine* engine_ = nullptr;  ///< Null: no profile is for the pod.
  const NodePicker* picker_ = nullptr;
  RefusalCounts refusals_;  ///< Counted if decisions are kept.
  FilterResult result_;
  std::shared_ptr<LateCauses> causes_;  ///< Null: none are looked for.
};

/// One look at the cache in force, which may be another one than before.
std::optional<Held> FilterCall::look() {
  deciding_ = context_.decisions.decide_alone(call_.active);
  auto located = locate();
  if (!located) return std::nullopt;
  begin_look(*located);
  decide(*located);
  const std::optional<Held> held = hold();
  if (!held) {
    look_outside(*located);
    remember(*located);
    count_rejected(*located);
    choose(*located);
    record_decision(*located);
    prepare_causes(*located);
    memory_.looked(call_.active);
  }
  result_.places = std::move(*located).unlock(memory_);
  if (result_.record) context_.services.decision_log->put_aside(*std::move(result_.record));
  if (held && deciding_) deciding_.unlock();
  return held;
}

/// @return nothing if the body is wrong; the call has been answered so.
std::optional<LocatedRequest> FilterCall::locate() {
  const IfAssumed if_assumed = context_.options.assume ? IfAssumed::kIsReleased : IfAssumed::kStays;
  if (!hold_) return winnow::locate(reader_, context_, call_, reply_, if_assumed, Nodes::kRequired);
  LocatedRequest located = LocatedRequest::again(request_, *call_.active.cache, if_assumed, &call_.budget);
  reply_.unknown_nodes = located.unknown_count();
  return located;
}

/// Notes what kube-scheduler and the cache know when the look begins. The first look begins the hold.
void FilterCall::begin_look(const LocatedRequest& located) {
  // Counted with the cache locked: what the cache lacks now is counted as news later. The release of this
  // pod's own place has been counted already.
  news_ = call_.active.cache->news().count();
  seen_ = {.news = news_.for_others,
           .told = located.assumed().watched_version(),
           .unknown_nodes = located.unknown_count()};
  picker_ = &memory_.picker_for(request_.pod_key());
  if (hold_) return;
  const ExtenderOptions& options = context_.options;
  context_.sampling.look_at(located.known(), located.view().node_count(),
                            options.nominates_refused || options.nominates, context_.metrics.live());
  const Pod& pod = request_.pod();
  hold_.emplace(memory_.begin_hold({.uid = request_.pod_key(),
                                    .version = to_number(pod.metadata.resource_version),
                                    .refused = was_refused(pod),
                                    .one_node = request_.node_count() == 1,
                                    .at = call_.arrived}));
}

/// Runs the predicates on the nodes.
void FilterCall::decide(const LocatedRequest& located) {
  result_ = {};
  refusals_ = {};
  engine_ = call_.active.engines->find(request_.pod());
  if (!engine_) {
    result_.error = result_.nodes.error = no_profile_error(request_.pod());
    return;
  }
  RefusalCounts* const counted = context_.services.decision_log ? &refusals_ : nullptr;
  result_.nodes = find_feasible_nodes(located.request(located.known()), *engine_, reply_.times, counted);
  result_.error = result_.nodes.error;
  if (!result_.error && !result_.fits() && request_.is_of_this_cluster())
    result_.not_counted = take_schedulers_word(located, *engine_, context_.options.scheduler_filters,
                                               result_.nodes, reply_.times);
}

/// @return when to look again, if the result is a refusal that may be of a cache that is too old.
std::optional<Held> FilterCall::hold() {
  if (!engine_ || result_.fits() || !request_.is_of_this_cluster()) return std::nullopt;
  const auto until = hold_->next(seen_, std::chrono::steady_clock::now());
  if (!until) return std::nullopt;
  return Held{news_, *until};
}

/// Whether kube-scheduler drops this answer: it asks about the nominated node alone first.
bool FilterCall::is_dropped() const {
  return request_.node_count() == 1 && !request_.pod().status.nominated_node_name.empty();
}

/// Looks for a node that helps a refused pod among those that the call is not about: kube-scheduler may have
/// shown a sample of the nodes.
void FilterCall::look_outside(const LocatedRequest& located) {
  if (!context_.options.nominates_refused || !engine_ || !request_.is_of_this_cluster()) return;
  if (result_.fits() || result_.error || is_dropped()) return;
  const std::vector<NodeId> nodes = nodes_outside(located);
  if (nodes.empty()) return;
  const Request request = located.request(nodes);
  const FeasibleNodes found = find_feasible_nodes(request, *engine_, reply_.times);
  if (!found.fits()) {
    if (may_preempt_there(located, found, nodes))
      memory_.nominate_refused(request_.pod(), /*by_eviction=*/true);
    return;
  }
  const auto best = pick_best(request, found.filtered, *engine_, *picker_, request_.pod_key(), reply_.times);
  if (!best) return;
  result_.fits_outside = located.view().node_name(nodes[best->place()]);
  context_.metrics.live().on_refused_by_sample();
  memory_.nominate_refused(request_.pod(), /*by_eviction=*/false);
}

/// Notes the result for later calls about the pod.
void FilterCall::remember(const LocatedRequest& located) {
  if (!engine_ || !request_.is_of_this_cluster()) return;
  if (result_.fits()) return memory_.note_fit(*hold_, request_.pod_key());
  result_.remark = memory_.note_refusal(*hold_, {.located = located,
                                                 .engine = *engine_,
                                                 .seen = seen_,
                                                 .is_error = result_.error.has_value(),
                                                 .may_remark = !is_dropped(),
                                                 .times = reply_.times,
                                                 .fits_outside = !result_.fits_outside.empty()});
  if (!result_.fits_outside.empty())
    result_.remark = " (" + result_.fits_outside + " outside the sample fits)";
}

/// Counts the nodes that each predicate has rejected, for the metrics.
void FilterCall::count_rejected(const LocatedRequest& located) {
  const FeasibleNodes& nodes = result_.nodes;
  if (!engine_ || nodes.error) return;
  reply_.feasible = nodes.feasible;
  const Engines& engines = *call_.active.engines;
  const Filtered& filtered = nodes.filtered;
  reply_.rejected.assign(engines.predicate_names().size(), 0);
  if (nodes.feasible == static_cast<std::int64_t>(located.known().size())) return;
  // By rule first: nodes are many, rules are few.
  std::vector<std::uint32_t> by_rule(filtered.bound.size(), 0);
  for (const std::uint16_t rule : filtered.failed_by)
    if (rule != Filtered::kNobody) ++by_rule[rule];
  for (std::size_t rule = 0; rule < by_rule.size(); ++rule)
    if (by_rule[rule] > 0) reply_.rejected[engines.predicate_index(*engine_, rule)] += by_rule[rule];
}

/// Chooses the one node for the pod, if there is one.
void FilterCall::choose(const LocatedRequest& located) {
  if (result_.error) return;
  if (!result_.fits()) {  // kube-scheduler preempts only if no node fits.
    if (context_.options.failed_nodes == FailedNodes::kQuiet) result_.beyond_help = find_beyond_help(located);
    return;
  }
  if (context_.options.answer == AnswerMode::kBest) return choose_best(located);
  // kube-scheduler does not call prioritize for a single feasible node.
  if (result_.nodes.feasible != 1) return;
  const auto& failed_by = result_.nodes.filtered.failed_by;
  const auto fit = std::ranges::find(failed_by, Filtered::kNobody);
  result_.chosen = static_cast<std::size_t>(fit - failed_by.begin());
  if (context_.options.answer == AnswerMode::kOne) give(located, *result_.chosen);
}

/// The pod is answered with this node.
void FilterCall::give(const LocatedRequest& located, std::size_t known) {
  result_.given = name_of(located, known);
  if (!context_.options.assume || !request_.is_of_this_cluster()) return;
  result_.devices = devices_on(engine_->rules(), located.request({&located.known()[known], 1}));
}

/// Scores the nodes that fit, and selects one with the highest total.
void FilterCall::choose_best(const LocatedRequest& located) {
  auto best = pick_best(located.request(located.known()), result_.nodes.filtered, *engine_, *picker_,
                        request_.pod_key(), reply_.times);
  if (!best) {
    result_.error = best.error();
    return;
  }
  result_.chosen = best->place();
  result_.scored = *std::move(best);
  give(located, *result_.chosen);
  memory_.picked(request_.pod_key(), result_.given);
  reply_.times.lap(Pass::kSelect);
}

/// Makes the decision's record. The names are the cache's, which is still locked.
void FilterCall::record_decision(const LocatedRequest& located) {
  if (!context_.services.decision_log) return;
  const Request request = located.request(located.known());
  DecisionRecord& record =
      result_.record.emplace(record_of(DecisionVerb::kFilter, request_.pod(), located.changed()));
  record.request_id = call_.request_id;
  if (engine_) record.rules = call_.active.engines->rule_names(*engine_);
  add_filtered(record, {.request = request,
                        .nodes = result_.nodes,
                        .refusals = refusals_,
                        .unknown_nodes = located.unknown_count()});
  if (result_.error) record.error = *result_.error;
  if (result_.scored)
    add_best(record, request, *result_.scored, *engine_, /*given=*/true);
  else if (result_.chosen)
    add_only(record, name_of(located, *result_.chosen), !result_.given.empty());
}

/// Has the causes of a refusal found when the answer has gone out, if there is time for it.
void FilterCall::prepare_causes(const LocatedRequest& located) {
  if (!result_.record || result_.error || result_.fits() || located.known().empty()) return;
  if (!request_.is_of_this_cluster() || !LateCauses::can_look_later(located)) return;
  auto turn = context_.cause_time.begin(std::chrono::steady_clock::now());
  if (!turn) return;
  causes_ = std::make_shared<LateCauses>(*std::move(turn), call_.active, located,
                                         result_.nodes.filtered.failed_by, DecisionName::of(*result_.record));
}

/// Changes what is assumed, and encodes the answer. The cache is unlocked.
void FilterCall::encode() {
  memory_.doubt(*call_.active.cache, result_.not_counted);
  std::string& out = reply_.response.body;
  if (result_.error) {
    reply_.result = Result::kError;
    return append_filter_error(out, *result_.error);
  }
  // With full nodes the caller may ask about nodes that do not exist (an autoscaler).
  if (!result_.given.empty() && request_.is_of_this_cluster())
    memory_.assume(*call_.active.cache, request_.pod(), result_.given, std::move(result_.devices));
  if (context_.options.answer == AnswerMode::kBest && result_.chosen)
    append_picked_node(out, request_, result_.places[*result_.chosen]);
  else
    append_filter_answer(out, request_, result_.places, result_.nodes.filtered, result_.remark,
                         result_.beyond_help);
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
  if (const std::string why = context.why_no_answer(); !why.empty()) {
    reply.result = Result::kError;
    append_filter_error(reply.response.body, why);
  } else {
    answer_filter(context, call, reply);
  }
  if (reply.result != Result::kBadRequest) warn_of(context.setup.on_filter(reply.result == Result::kOk));
}

}  // namespace verbs

}  // namespace winnow
