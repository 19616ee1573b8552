#include "extender/shadow/told_decisions.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "cluster/api/refusal.h"
#include "cluster/api/store.h"
#include "cluster/state/state.h"
#include "extender/decisions/decision_log.h"

namespace winnow {
namespace {

/// A pod's last refusals of which the text is remembered.
constexpr std::size_t kMostRefusals = 8;

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

}  // namespace

void ToldDecisions::on_pod(const Pod& pod) {
  const std::uint64_t version = to_number(pod.metadata.resource_version);
  const MutexLock lock(mutex_);
  if (!pod.spec.node_name.empty()) return told_bound(pod, version);
  if (is_pending(pod)) return told_waiting(pod, version);
  const auto known = waiting_.find(key_of(pod.metadata.namespace_, pod.metadata.name));
  if (known != waiting_.end() && !is_older(version, known->second.version)) waiting_.erase(known);
}

void ToldDecisions::told_waiting(const Pod& pod, std::uint64_t version) {
  const ObjectMeta& meta = pod.metadata;
  if (bound_uids_.contains(meta.uid)) return;  // Another picture tells it late.
  Waiting& waiting = waiting_[key_of(meta.namespace_, meta.name)];
  if (is_older(version, waiting.version)) return;
  const std::size_t refusal = hash_of_refusal(pod.status.conditions);
  const bool is_new = waiting.uid != meta.uid;
  const bool refused_anew = refusal != 0 && (is_new || !std::ranges::contains(waiting.refusals, refusal));
  if (is_new) waiting = {.uid = meta.uid};
  if (!is_new && refused_anew)
    if (const PodCondition* const text = unschedulable(pod))
      queue(pod, {.said = text->message, .version = version}, waiting);
  waiting.version = version;
  waiting.labels = meta.labels;
  if (refused_anew) waiting.refusals.push_back(refusal);
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

void ToldDecisions::told_bound(const Pod& pod, std::uint64_t version) {
  const auto known = waiting_.find(key_of(pod.metadata.namespace_, pod.metadata.name));
  if (known == waiting_.end()) return;  // It was bound before it was seen, or is told of again.
  if (known->second.uid != pod.metadata.uid) {
    if (!is_older(version, known->second.version)) waiting_.erase(known);
    return;
  }
  const Waiting before = std::move(known->second);
  waiting_.erase(known);
  remember(pod, version);
  queue(pod, {.node = pod.spec.node_name, .version = version}, before);
}

/// @param before  what was known of the pod before this decision.
void ToldDecisions::queue(Pod pod, ToldDecision decision, const Waiting& before) {
  pod.spec.node_name.clear();
  pod.metadata.labels = before.labels;  // A binding may add labels of the node.
  pod.status.nominated_node_name = before.nominated;
  decision.pod = std::move(pod);
  decision.told = std::chrono::steady_clock::now();
  queue_.push_back(std::make_shared<const ToldDecision>(std::move(decision)));
  if (queue_.size() > most_) {
    queue_.pop_front();
    ++dropped_;
  }
  tell_news();
}

void ToldDecisions::remember(const Pod& pod, std::uint64_t version) {
  const ObjectMeta& meta = pod.metadata;
  bound_.push_back({.ns = meta.namespace_, .name = meta.name, .uid = meta.uid, .version = version});
  bound_uids_.insert(meta.uid);
  if (bound_.size() <= remembered_) return;
  forgotten_ = std::max(forgotten_, bound_.front().version);
  bound_uids_.erase(bound_.front().uid);
  bound_.pop_front();
}

void ToldDecisions::on_gone(const std::string& ns, const std::string& name, std::uint64_t resource_version) {
  const MutexLock lock(mutex_);
  const auto known = waiting_.find(key_of(ns, name));
  if (known != waiting_.end() && !is_older(resource_version, known->second.version)) waiting_.erase(known);
}

void ToldDecisions::on_rewind() {
  const MutexLock lock(mutex_);
  dropped_ += queue_.size();
  queue_.clear();
  bound_.clear();
  bound_uids_.clear();
  forgotten_ = told_ = 0;
  for (auto& [key, waiting] : waiting_) waiting.version = 0;
}

void ToldDecisions::on_told(std::uint64_t resource_version) {
  const MutexLock lock(mutex_);
  told_ = std::max(told_, resource_version);
  tell_news();
}

void ToldDecisions::tell_news() {
  news_ = true;
  happened_.notify_all();
}

std::shared_ptr<const ToldDecision> ToldDecisions::front() const {
  const MutexLock lock(mutex_);
  return queue_.empty() ? nullptr : queue_.front();
}

bool ToldDecisions::take_out(const ToldDecision& decision) {
  if (queue_.empty() || queue_.front().get() != &decision) return false;
  queue_.pop_front();
  return true;
}

bool ToldDecisions::done(const ToldDecision& decision) {
  const MutexLock lock(mutex_);
  return take_out(decision);
}

void ToldDecisions::drop(const ToldDecision& decision) {
  const MutexLock lock(mutex_);
  if (take_out(decision)) ++dropped_;
}

ToldDecisions::Known ToldDecisions::bound_after(std::uint64_t version, std::uint64_t picture_told,
                                                std::vector<BoundPod>& pods) const {
  const MutexLock lock(mutex_);
  if (picture_told > told_) return Known::kNotYet;
  if (version != 0 && version < forgotten_) return Known::kForgotten;
  if (version == 0) return Known::kAll;
  std::ranges::copy_if(bound_, std::back_inserter(pods),
                       [&](const BoundPod& pod) { return pod.version > version; });
  return Known::kAll;
}

void ToldDecisions::wait_until(Time time) {
  const MutexLock lock(mutex_);
  while (!news_ && mutex_.wait_until(happened_, time)) {
  }
  news_ = false;
}

ToldFigures ToldDecisions::figures() const {
  const MutexLock lock(mutex_);
  ToldFigures figures{.queued = queue_.size(), .dropped = dropped_};
  if (!queue_.empty()) figures.lag = std::chrono::steady_clock::now() - queue_.front()->told;
  return figures;
}

}  // namespace winnow
