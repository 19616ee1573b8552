#include "extender/nominate/scheduler_decisions.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "cluster/api/meta.h"
#include "cluster/api/pod.h"
#include "cluster/state/state.h"
#include "extender/explain/decision_log.h"
#include "extender/service/log/log.h"

namespace winnow {
namespace {

/// A pod's last refusals of which the text is remembered.
constexpr std::size_t kMostRefusals = 8;

/// A longer silence of the watch counts as so much. It may be broken, and what it has missed is told after.
constexpr std::chrono::seconds kGap{1};
/// A watch that is silent makes patience so many times as long.
constexpr int kSilent = 12;

/// What manages the fields that kube-scheduler writes.
constexpr std::string_view kScheduler = "kube-scheduler";

bool is_pending(const Pod& pod) {
  const std::string& phase = pod.status.phase;
  return !pod.metadata.deleting && (phase.empty() || phase == "Pending");
}

/// kube-scheduler's refusal because no node fits; null: there is none. It does not refuse gated pods.
const PodCondition* unschedulable(const Pod& pod) {
  if (!pod.spec.scheduling_gates.empty()) return nullptr;
  const auto found = std::ranges::find_if(pod.status.conditions, [](const PodCondition& condition) {
    return is_refusal(condition) && condition.reason == "Unschedulable";
  });
  return found == pod.status.conditions.end() ? nullptr : &*found;
}

bool is_older(std::uint64_t version, std::uint64_t known) { return version != 0 && version < known; }

QueueTurn::Lane lane_of(const Pod& pod) {
  return {pod.spec.scheduler_name.empty() ? "default-scheduler" : pod.spec.scheduler_name,
          pod.spec.priority.value_or(0)};
}

/// Whether the pod was decided after the decision.
bool is_later(const BoundPod& pod, const SchedulerDecision& decision) {
  const QueueTurn &theirs = pod.turn, &ours = decision.turn;
  if (theirs.entered != 0 && ours.entered != 0 && theirs.lane == ours.lane)
    return theirs.entered > ours.entered;
  return decision.version != 0 && pod.version > decision.version;
}

}  // namespace

void SchedulerDecisions::on_pod(const Pod& pod) {
  const std::uint64_t version = to_number(pod.metadata.resource_version);
  const MutexLock lock(mutex_);
  if (!pod.spec.node_name.empty()) return told_bound(pod, version);
  if (is_pending(pod)) return told_waiting(pod, version);
  const auto known = waiting_.find(key_of(pod.metadata.namespace_, pod.metadata.name));
  if (known != waiting_.end() && !is_older(version, known->second.version)) forget(known);
}

void SchedulerDecisions::told_waiting(const Pod& pod, std::uint64_t version) {
  const ObjectMeta& meta = pod.metadata;
  if (over_uids_.contains(meta.uid)) return;  // Another cache tells it late.
  const std::string key = key_of(meta.namespace_, meta.name);
  Waiting& waiting = waiting_[key];
  if (is_older(version, waiting.version)) return;
  const std::size_t refusal = hash_of_refusal(pod.status.conditions);
  const bool is_new = waiting.uid != meta.uid;
  const bool refused_anew = refusal != 0 && (is_new || !std::ranges::contains(waiting.refusals, refusal));
  if (is_new) {
    leave(waiting);
    waiting = {.uid = meta.uid};
  }
  if (!is_new && refused_anew)
    if (const PodCondition* const text = unschedulable(pod))
      queue(pod, {.said = text->message, .version = version}, waiting);
  enter(waiting, key, pod, version);
  waiting.version = version;
  waiting.labels = meta.labels;
  if (refused_anew) {
    waiting.refusals.push_back(refusal);
    leave(waiting);
  }
  if (waiting.refusals.size() > kMostRefusals) waiting.refusals.erase(waiting.refusals.begin());
  // kube-scheduler nominates in two cases. After a preemption it refuses the pod in the same write, and looks
  // at that node first in its next attempt. For a pod whose binding takes long it tells what it has decided
  // in this attempt, and that is not to be looked at: a node that was nominated before did not fit then.
  // Upstream: pkg/scheduler/schedule_one.go handleSchedulingFailure, prepareForBindingCycle v1.37.0.
  const std::string& nominated = pod.status.nominated_node_name;
  if (nominated.empty() || pod.status.nominated_by != kScheduler || refused_anew)
    waiting.nominated = nominated;
  else if (nominated != waiting.nominated)
    waiting.nominated.clear();
}

/// A pod enters kube-scheduler's queue when it is there without gates.
void SchedulerDecisions::enter(Waiting& waiting, const std::string& key, const Pod& pod,
                               std::uint64_t version) {
  if (waiting.has_entered || !pod.spec.scheduling_gates.empty()) return;
  waiting.has_entered = true;
  waiting.turn = {.lane = lane_of(pod), .entered = version};
  if (version != 0) awaited_[waiting.turn.lane][version] = key;
}

/// Its turn is over, or nobody knows any more when it comes.
void SchedulerDecisions::leave(Waiting& waiting) {
  const auto lane = awaited_.find(waiting.turn.lane);
  if (lane != awaited_.end() && lane->second.erase(waiting.turn.entered) > 0 && lane->second.empty())
    awaited_.erase(lane);
  waiting.turn.entered = 0;
}

void SchedulerDecisions::forget(Pods::iterator known) {
  leave(known->second);
  if (over_uids_.insert(known->second.uid).second) over_.push_back(known->second.uid);
  if (over_.size() > options_.remembered) {
    over_uids_.erase(over_.front());
    over_.pop_front();
  }
  waiting_.erase(known);
}

void SchedulerDecisions::told_bound(const Pod& pod, std::uint64_t version) {
  const auto known = waiting_.find(key_of(pod.metadata.namespace_, pod.metadata.name));
  if (known == waiting_.end()) return;  // It was bound before it was seen, or is told of again.
  if (known->second.uid != pod.metadata.uid) {
    if (!is_older(version, known->second.version)) forget(known);
    return;
  }
  const Waiting before = known->second;
  forget(known);
  remember(pod, version, before.turn);
  queue(pod, {.node = pod.spec.node_name, .version = version}, before);
}

/// @param before  what was known of the pod before this decision.
void SchedulerDecisions::queue(Pod pod, SchedulerDecision decision, const Waiting& before) {
  pod.spec.node_name.clear();
  pod.metadata.labels = before.labels;  // A binding may add labels of the node.
  pod.status.nominated_node_name = before.nominated;
  decision.pod = std::move(pod);
  decision.turn = before.turn;
  decision.told = std::chrono::steady_clock::now();
  decision.flowed = flowed_;
  queue_.push_back(std::make_shared<const SchedulerDecision>(std::move(decision)));
  if (queue_.size() > options_.most) {
    queue_.pop_front();
    ++dropped_;
  }
  tell_news();
}

void SchedulerDecisions::remember(const Pod& pod, std::uint64_t version, const QueueTurn& turn) {
  const ObjectMeta& meta = pod.metadata;
  bound_.push_back(
      {.ns = meta.namespace_, .name = meta.name, .uid = meta.uid, .version = version, .turn = turn});
  if (bound_.size() <= options_.remembered) return;
  forgotten_ = std::max(forgotten_, bound_.front().version);
  bound_.pop_front();
}

void SchedulerDecisions::on_gone(const std::string& ns, const std::string& name,
                                 std::uint64_t resource_version) {
  const MutexLock lock(mutex_);
  const auto known = waiting_.find(key_of(ns, name));
  if (known != waiting_.end() && !is_older(resource_version, known->second.version)) forget(known);
}

void SchedulerDecisions::on_rewind() {
  const MutexLock lock(mutex_);
  dropped_ += queue_.size();
  queue_.clear();
  bound_.clear();
  over_.clear();
  over_uids_.clear();
  forgotten_ = told_ = 0;
  awaited_.clear();
  for (auto& [key, waiting] : waiting_) waiting.version = waiting.turn.entered = 0;
}

void SchedulerDecisions::on_told(std::uint64_t resource_version) {
  const MutexLock lock(mutex_);
  told_ = std::max(told_, resource_version);
  const Time now = std::chrono::steady_clock::now();
  flowed_ += std::min<Time::duration>(now - last_told_, kGap);
  last_told_ = now;
  tell_news();
}

void SchedulerDecisions::tell_news() {
  news_ = true;
  happened_.notify_all();
}

std::shared_ptr<const SchedulerDecision> SchedulerDecisions::front() const {
  const MutexLock lock(mutex_);
  return queue_.empty() ? nullptr : queue_.front();
}

bool SchedulerDecisions::take_out(const SchedulerDecision& decision) {
  if (queue_.empty() || queue_.front().get() != &decision) return false;
  queue_.pop_front();
  return true;
}

bool SchedulerDecisions::done(const SchedulerDecision& decision) {
  const MutexLock lock(mutex_);
  return take_out(decision);
}

void SchedulerDecisions::drop(const SchedulerDecision& decision) {
  const MutexLock lock(mutex_);
  if (take_out(decision)) ++dropped_;
}

/// Whether pods that were decided before are to be told still. Those that let it wait for too long are not
/// waited for again.
bool SchedulerDecisions::awaits(const SchedulerDecision& decision) {
  const QueueTurn& turn = decision.turn;
  if (turn.entered == 0) return false;
  const bool is_patient = flowed_ - decision.flowed < options_.patience &&
                          std::chrono::steady_clock::now() - decision.told < kSilent * options_.patience;
  for (auto lane = awaited_.find(turn.lane); lane != awaited_.end(); lane = awaited_.find(turn.lane)) {
    const auto& [entered, key] = *lane->second.begin();
    if (entered >= turn.entered) return false;
    if (is_patient) return true;
    if (log_enabled(2))
      log_info("the shadow waits no longer for an earlier pod",
               {{"pod", key}, {"to_decide", key_of(decision.pod.metadata)}});
    leave(waiting_.find(key)->second);
  }
  return false;
}

SchedulerDecisions::Known SchedulerDecisions::decided_after(const SchedulerDecision& decision,
                                                            std::uint64_t cache_told,
                                                            std::vector<BoundPod>& pods) {
  const MutexLock lock(mutex_);
  if (cache_told > told_ || cache_told < decision.version) return Known::kNotYet;
  if (decision.version != 0 && decision.version < forgotten_) return Known::kForgotten;
  if (awaits(decision)) return Known::kNotYet;
  pods.clear();
  for (const BoundPod& pod : bound_)
    if (is_later(pod, decision))
      pods.push_back(pod);
    else if (pod.version > cache_told)
      return Known::kNotYet;  // Another cache has told of it.
  return Known::kAll;
}

void SchedulerDecisions::wait_until(Time time) {
  const MutexLock lock(mutex_);
  while (!news_ && mutex_.wait_until(happened_, time)) {
  }
  news_ = false;
}

SchedulerDecisionFigures SchedulerDecisions::figures() const {
  const MutexLock lock(mutex_);
  SchedulerDecisionFigures figures{.queued = queue_.size(), .dropped = dropped_};
  if (!queue_.empty()) figures.lag = std::chrono::steady_clock::now() - queue_.front()->told;
  return figures;
}

}  // namespace winnow
