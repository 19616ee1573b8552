#include "extender/nominate/shadow.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "cluster/state/overlay.h"
#include "cluster/state/state.h"
#include "extender/engine/engines.h"
#include "extender/explain/decision_log.h"
#include "extender/explain/decision_record.h"
#include "extender/explain/decisions_text.h"
#include "extender/nominate/scheduler_decisions.h"
#include "extender/service/log/log.h"
#include "extender/service/metrics/figures.h"
#include "extender/service/scheduling/decision_lock.h"
#include "extender/service/scheduling/decision_records.h"
#include "extender/service/scheduling/feasible_nodes.h"
#include "extender/service/scheduling/node_request.h"

namespace winnow {
namespace {

class Comparison {
 public:
  Comparison(const SchedulerDecision& told, const Judgement& by, DecisionRecord& record)
      : told_(told), by_(by), record_(record) {}

  Compared make() {
    if (auto compared = at_nominated()) return *std::move(compared);
    return at_all();
  }

 private:
  Request request(std::span<const NodeId> nodes) const {
    return {.pod = told_.pod,
            .view = by_.view,
            .nodes = nodes,
            .accounting = by_.view.state().options().accounting,
            .budget = &by_.budget};
  }
  bool is_bound() const { return !told_.node.empty(); }

  std::optional<Compared> at_nominated();
  Compared at_all();
  Compared against(const Request& all, const BestNode& best);
  Compared refused_there(DecisionResult result);

  const SchedulerDecision& told_;
  const Judgement& by_;
  DecisionRecord& record_;
  PassTimes unused_;
};

/// Nothing: the pod has no nominated node, or does not fit there.
std::optional<Compared> Comparison::at_nominated() {
  const std::string& nominated = told_.pod.status.nominated_node_name;
  if (nominated.empty() || by_.engine.rules().generation != Generation::kToday) return std::nullopt;
  const NodeId node = by_.view.find_node(nominated);
  if (node == kNone) return std::nullopt;
  const Request there = request({&node, 1});
  RefusalCounts none;
  const FeasibleNodes feasible = find_feasible_nodes(there, by_.engine, unused_);
  if (!feasible.fits()) return std::nullopt;
  add_filtered(record_, {.request = there, .nodes = feasible, .refusals = none});
  add_only(record_, nominated, /*given=*/true);
  record_.nominated = true;
  if (!is_bound()) return Compared{DecisionResult::kRefused, told_.said};
  if (nominated == told_.node) return Compared{DecisionResult::kSame, ""};
  return refused_there(DecisionResult::kOther);
}

Compared Comparison::at_all() {
  const std::vector<NodeId> nodes = by_.view.all_nodes();
  const Request all = request(nodes);
  RefusalCounts refusals;
  const FeasibleNodes feasible = find_feasible_nodes(all, by_.engine, unused_, &refusals);
  const FilteredNodes filtered{.request = all, .nodes = feasible, .refusals = refusals};
  add_filtered(record_, filtered);
  add_nearest(record_, filtered, by_.engine);
  if (feasible.error) return {};
  if (!feasible.fits())
    return is_bound() ? refused_there(DecisionResult::kNowhere) : Compared{DecisionResult::kSame, told_.said};
  const auto best = pick_best(all, feasible.filtered, by_.engine, by_.picker, pod_key_of(told_.pod), unused_);
  if (!best) {
    record_.error = best.error();
    return {};
  }
  add_best(record_, all, *best, by_.engine, /*given=*/true);
  return is_bound() ? against(all, *best) : Compared{DecisionResult::kRefused, told_.said};
}

/// Compares the pick with the node where the pod was bound.
Compared Comparison::against(const Request& all, const BestNode& best) {
  const NodeId node = by_.view.find_node(told_.node);
  const auto there = std::ranges::find(best.nodes, node);
  if (node == kNone || there == best.nodes.end()) return refused_there(DecisionResult::kOther);
  const auto bound = static_cast<std::size_t>(there - best.nodes.begin());
  if (bound == best.picked) return {DecisionResult::kSame, ""};
  std::vector<NodeTotal> of_bound =
      best_nodes({.totals = best.totals,
                  .scores = best.scores,
                  .rules = by_.engine.rules(),
                  .name_of = [&](std::size_t i) { return all.view.node_name(all.nodes[best.places[i]]); }},
                 bound);
  std::vector<NodeTotal>& kept = record_.best;
  std::erase_if(kept, [&](const NodeTotal& one) { return one.node == of_bound.front().node; });
  kept.insert(kept.begin() + 1, std::move(of_bound.front()));
  if (kept.size() > kBestNodes) kept.resize(kBestNodes);
  const bool ties = best.totals[bound] == best.totals[best.picked];
  return {ties ? DecisionResult::kTie : DecisionResult::kOther, ""};
}

/// Adds the rules that refuse the node where the pod was bound: all of them, since kube-scheduler may lack
/// any.
Compared Comparison::refused_there(DecisionResult result) {
  const NodeId node = by_.view.find_node(told_.node);
  if (node == kNone) return {result, "a node that the picture does not have"};
  const Filtered there = by_.engine.filter(request({&node, 1}), /*all_rules=*/true, unused_);
  RefusalCounts refusals;
  for (std::size_t rule = 0; rule < there.matrix.size(); ++rule)
    if (!there.matrix[rule].fits()) refusals.add(static_cast<std::uint16_t>(rule), there.matrix[rule]);
  record_.refused_there = refusals.told(there);
  std::ranges::sort(record_.refused_there, {}, &RefusedByRule::rule);
  return {result, ""};
}

}  // namespace

Compared compare(const SchedulerDecision& told, const Judgement& by, DecisionRecord& record) {
  return Comparison(told, by, record).make();
}

namespace {

/// The longest time between two looks at the stop token and the queue.
constexpr std::chrono::milliseconds kShadowTick{100};

/// The cache without some pods.
class CacheBefore {
 public:
  explicit CacheBefore(const State& state) : state_(state) {}

  /// A later pod of that name stays.
  void leave_out(const std::string& ns, const std::string& name, const std::string& uid) {
    const PodId id = state_.find_pod(ns, name);
    if (id == kNone || state_.pod(id).uid != uid || !state_.pod(id).assigned) return;
    if (!overlay_) overlay_.emplace(state_);
    overlay_->remove_pod(ns, name);
  }
  View view() const { return View(state_, overlay_ ? &*overlay_ : nullptr); }

 private:
  const State& state_;
  std::optional<Overlay> overlay_;
};

}  // namespace

void Shadow::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    if (step())
      std::this_thread::yield();
    else
      told_.wait_until(std::chrono::steady_clock::now() + kShadowTick);
  }
}

bool Shadow::step() {
  std::shared_ptr<const SchedulerDecision> told;
  try {
    tell_of_drops();
    if (!cache_.unusable().empty()) return false;
    told = told_.front();
    return told && decide(*told);
  } catch (const std::exception&) {  // Out of memory. No other exception is expected here.
    if (told) told_.drop(*told);
    return told != nullptr;
  }
}

/// @return false: not all that it needs is there yet.
bool Shadow::decide(const SchedulerDecision& told) {
  const ActiveConfig active = decisions_.active();
  const Engine* const engine = engine_for(*active.engines, told.pod, options_.schedulers);
  if (!engine) {  // Another scheduler's pod, for which nothing is to be waited for.
    told_.done(told);
    return true;
  }
  auto judged = judge(active, *engine, told);
  active.cache->settle();
  if (!judged) return false;
  if (told_.done(told) && *judged) tell(*std::move(*judged));
  return true;
}

/// @return nothing: not all is there yet. An empty opinion: the cache of then is not known any more.
std::optional<std::optional<Shadow::Opinion>> Shadow::judge(const ActiveConfig& active, const Engine& engine,
                                                            const SchedulerDecision& told) {
  std::vector<BoundPod> later;
  const ClusterCache::ReadGuard state = active.cache->read();
  if (!state.whole()) return std::nullopt;
  switch (told_.decided_after(told, state.assumed().watched_version(), later)) {
    case SchedulerDecisions::Known::kNotYet:
      return std::nullopt;
    case SchedulerDecisions::Known::kForgotten:
      told_.drop(told);
      return std::optional<Opinion>();
    case SchedulerDecisions::Known::kAll:
      break;
  }
  return opinion_of(active, state, told, later, engine);
}

Shadow::Opinion Shadow::opinion_of(const ActiveConfig& active, const ClusterCache::ReadGuard& state,
                                   const SchedulerDecision& told, const std::vector<BoundPod>& later,
                                   const Engine& engine) const {
  Opinion opinion{.record = record_of(DecisionVerb::kShadow, told.pod, state.changed())};
  DecisionRecord& record = opinion.record;
  record.rules = active.engines->rule_names(engine);
  const Budget budget(std::chrono::steady_clock::now() + options_.longest);
  CacheBefore before(*state);
  const ObjectMeta& meta = told.pod.metadata;
  before.leave_out(meta.namespace_, meta.name, meta.uid);
  for (const BoundPod& pod : later) before.leave_out(pod.ns, pod.name, pod.uid);
  const View view = before.view();
  Compared compared;
  try {
    compared = compare(told, {.view = view, .engine = engine, .picker = picker_, .budget = budget}, record);
  } catch (const OutOfTime&) {
    record.error = "to judge it takes too long";
    opinion.too_long = true;
  }
  opinion.ending = {
      .result = compared.result, .time = record.time, .node = told.node, .said = std::move(compared.said)};
  return opinion;
}

void Shadow::tell(Opinion opinion) {
  const DecisionResult result = opinion.ending.result;
  {
    const MutexLock lock(mutex_);
    ++(opinion.too_long ? too_long_ : results_[static_cast<std::size_t>(result)]);
  }
  const KeptDecision decision{.record = std::make_shared<const DecisionRecord>(opinion.record),
                              .ending = std::make_shared<const DecisionEnding>(opinion.ending)};
  if (options_.decision_log)
    options_.decision_log->keep_ended(std::move(opinion.record), std::move(opinion.ending));
  if (result == DecisionResult::kSame || result == DecisionResult::kTie) return;
  const bool failed = result == DecisionResult::kError;
  const auto left_out = (failed ? errors_told_ : differences_told_).next(std::chrono::steady_clock::now());
  if (!left_out && !log_enabled(2)) return;
  (failed ? log_warn : log_info)(failed ? "the shadow cannot decide" : "the shadow differs",
                                 {{"pod", decision.record->pod},
                                  {"result", to_string(result)},
                                  {"text", decision_text(decision)},
                                  {"lines_left_out", left_out.value_or(0)}});
}

void Shadow::tell_of_drops() {
  const std::uint64_t dropped = told_.figures().dropped;
  if (dropped == drops_told_ || !drops_rate_.next(std::chrono::steady_clock::now())) return;
  log_warn("the shadow is too late, and leaves out decisions", {{"pods", dropped - drops_told_}});
  drops_told_ = dropped;
}

ShadowFigures Shadow::figures() const {
  const SchedulerDecisionFigures told = told_.figures();
  const MutexLock lock(mutex_);
  const auto count = [&](DecisionResult result)
                         WINNOW_REQUIRES(mutex_) { return results_[static_cast<std::size_t>(result)]; };
  return {.same = count(DecisionResult::kSame),
          .tie = count(DecisionResult::kTie),
          .other = count(DecisionResult::kOther),
          .refused = count(DecisionResult::kRefused),
          .nowhere = count(DecisionResult::kNowhere),
          .dropped = told.dropped,
          .too_long = too_long_,
          .failed = count(DecisionResult::kError),
          .queued = told.queued,
          .lag_seconds = told.lag.count(),
          .on = true};
}

}  // namespace winnow
