#include "extender/shadow/shadow.h"

#include <exception>
#include <thread>

#include "extender/calls/decision_records.h"
#include "extender/calls/own_pods.h"
#include "extender/calls/pod_key.h"
#include "extender/decisions/decision_text.h"
#include "extender/log/log.h"
#include "extender/shadow/comparison.h"

namespace winnow {
namespace {

/// The longest time between two looks at the stop token and the queue.
constexpr std::chrono::milliseconds kTick{100};

/// The picture without some pods.
class PictureBefore {
 public:
  explicit PictureBefore(const State& state) : state_(state) {}

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
      told_.wait_until(std::chrono::steady_clock::now() + kTick);
  }
}

bool Shadow::step() {
  std::shared_ptr<const SchedulerDecision> told;
  try {
    tell_of_drops();
    if (!options_.unusable().empty()) return false;
    told = told_.front();
    return told && decide(*told);
  } catch (const std::exception&) {  // Out of memory. No other exception is expected here.
    if (told) told_.drop(*told);
    return told != nullptr;
  }
}

/// @return false: not all that it needs is there yet.
bool Shadow::decide(const SchedulerDecision& told) {
  const Serving serving = decisions_.serving();
  const Engine* const engine = engine_for(*serving.engines, told.pod, options_.schedulers);
  if (!engine) {  // Another scheduler's pod, for which nothing is to be waited for.
    told_.done(told);
    return true;
  }
  auto judged = judge(serving, *engine, told);
  serving.picture->settle();
  if (!judged) return false;
  if (told_.done(told) && *judged) tell(*std::move(*judged));
  return true;
}

/// @return nothing: not all is there yet. An empty opinion: the picture of then is not known any more.
std::optional<std::optional<Shadow::Opinion>> Shadow::judge(const Serving& serving, const Engine& engine,
                                                            const SchedulerDecision& told) {
  std::vector<BoundPod> later;
  const Picture::Reader state = serving.picture->read();
  if (!state.whole()) return std::nullopt;
  switch (told_.decided_after(told, state.assumed().told(), later)) {
    case SchedulerDecisions::Known::kNotYet:
      return std::nullopt;
    case SchedulerDecisions::Known::kForgotten:
      told_.drop(told);
      return std::optional<Opinion>();
    case SchedulerDecisions::Known::kAll:
      break;
  }
  return opinion_of(serving, state, told, later, engine);
}

Shadow::Opinion Shadow::opinion_of(const Serving& serving, const Picture::Reader& state,
                                   const SchedulerDecision& told, const std::vector<BoundPod>& later,
                                   const Engine& engine) const {
  Opinion opinion{.record = record_of(DecisionVerb::kShadow, told.pod, state.changed())};
  DecisionRecord& record = opinion.record;
  record.rules = serving.engines->rule_names(engine);
  const Budget budget(std::chrono::steady_clock::now() + options_.longest);
  PictureBefore before(*state);
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
