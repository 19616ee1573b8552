// Nominations on request: pods that calls of kube-scheduler have refused, though a node that they were not
// about may help. All other pods stay aside.
//
// When a request is decided. kube-scheduler clears a pod's nomination where an attempt ends without one. So a
// nomination is written after the watch has shown the failure of the attempt. Upstream:
// handleSchedulingFailure of pkg/scheduler/schedule_one.go v1.37.0.
#include <algorithm>

#include "extender/nominate/waiting_pods.h"

namespace winnow {

// ---- from calls ----

void WaitingPods::request(const RequestedNomination& request) {
  const MutexLock lock(mutex_);
  Request kept{.version = request.version, .at = clock_.now(), .by_eviction = request.by_eviction};
  const auto found = pods_.find(key_of(request.ns, request.name));
  if (found == pods_.end() || found->second.facts.uid != request.uid) {
    if (early_.size() >= kMostEarly) early_.clear();  // Recheck still knows them.
    early_.insert_or_assign(key_of(request.ns, request.name), EarlyRequest{request.uid, kept});
    return;
  }
  Waiting& pod = found->second;
  if (!pod.requested) pod.requested = kept.at;
  pod.request = kept;
  if (pod.nomination.stage == Stage::kQueued && pod.entry.place() != Place::kNowhere) await_decision(pod);
}

void WaitingPods::preempts(std::string_view ns, std::string_view name, std::string_view uid) {
  const MutexLock lock(mutex_);
  if (const auto early = early_.find(key_of(ns, name));
      early != early_.end() && early->second.uid == uid && early->second.request.by_eviction)
    early_.erase(early);
  const auto found = pods_.find(key_of(ns, name));
  if (found == pods_.end() || found->second.facts.uid != uid) return;
  Waiting& pod = found->second;
  if (!pod.request || !pod.request->by_eviction) return;
  pod.request.reset();
  if (pod.nomination.stage == Stage::kQueued && pod.entry.place() != Place::kNowhere) await_decision(pod);
}

// ---- from the watch ----

/// A pod that the watch shows for the first time: a call may have asked for it before. One that is refused by
/// then may have been so by a Winnow before this one.
void WaitingPods::take_early_request(Waiting& pod) {
  if (!options_.on_request) return;
  if (const auto early = early_.find(pod.entry.key()); early != early_.end()) {
    if (early->second.uid == pod.facts.uid) pod.request = early->second.request;
    early_.erase(early);
  }
  if (pod.facts.refused && !pod.request) pod.request = Request{.at = pod.seen};
  if (!pod.request) return;
  pod.requested = pod.request->at;
  if (pod.facts.refused) note_refusal(pod);
}

/// The watch shows a refusal. One of a version before the call is of an earlier attempt.
void WaitingPods::note_refusal(Waiting& pod) {
  if (!pod.request || pod.request->ended) return;
  pod.request->ended = pod.facts.version == 0 || pod.facts.version > pod.request->version;
  if (pod.nomination.stage == Stage::kQueued && pod.entry.place() != Place::kNowhere) await_decision(pod);
}

// ---- places in the queue ----

/// Puts a pod of kQueued where it waits to be decided.
void WaitingPods::await_decision(Waiting& pod) {
  const Time now = clock_.now();
  // The nomination that is on the API is to be taken away.
  const bool withdraws = !pod.nomination.on_api.empty() && (!pod.request || pod.history.not_before > now);
  if (!options_.on_request || withdraws) {
    queue_.put(pod.entry, Place::kActive);
    return wake();
  }
  if (!pod.request) return set_aside(pod);
  Time due = pod.history.not_before;
  if (!pod.request->ended) {
    if (!pod.facts.refused) return set_aside(pod);  // Until the first refusal is shown.
    due = std::max(due, pod.request->at + kAttempt);
  }
  if (pod.request->tries > 0) due = std::max(due, now + kNotYet);
  if (due > now)
    queue_.back_off(pod.entry, due);
  else
    queue_.put(pod.entry, Place::kActive);
  wake();
}

void WaitingPods::set_aside(Waiting& pod) {
  pod.history.aside_until = Time::max();
  queue_.put(pod.entry, Place::kAside);
}

/// Has wait_until() return.
void WaitingPods::wake() {
  news_ = true;
  happened_.notify_all();
}

}  // namespace winnow
