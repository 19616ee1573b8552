// What happens to waiting pods: the events of the watch, the reports of writers, and what follows from them.
// What the decider asks for is in waiting_pods_decider.cc, and requests of calls in waiting_pods_requests.cc.
#include "extender/nominate/waiting_pods.h"

#include "cluster/api/meta.h"
#include "cluster/state/state.h"

namespace winnow {

// ---- from the watch ----

void WaitingPods::on_pod(const Pod& pod) {
  const MutexLock lock(mutex_);
  const auto known = pods_.find(key_of(pod.metadata.namespace_, pod.metadata.name));
  if (known == pods_.end()) {
    if (waits_for_node(pod)) enter(facts_of(pod));
    return;
  }
  Waiting& waiting = known->second;
  const std::uint64_t version = to_number(pod.metadata.resource_version);
  const bool is_older = version != 0 && version < waiting.facts.version;
  if (pod.metadata.uid != waiting.facts.uid) {
    if (is_older) return;
    happens(waiting, NominationEvent::kGone);
    if (waits_for_node(pod)) enter(facts_of(pod));
    return;
  }
  // That a pod is bound, or has ended, cannot be undone: it counts at any age.
  if (is_older && pod.spec.node_name.empty() && !has_ended(pod)) return;
  PodFacts facts = facts_of(pod);
  note_try(waiting, facts);
  take_in(waiting, std::move(facts));
}

void WaitingPods::on_gone(const std::string& ns, const std::string& name, std::uint64_t resource_version) {
  const MutexLock lock(mutex_);
  const auto known = pods_.find(key_of(ns, name));
  if (known == pods_.end()) return;
  if (resource_version != 0 && resource_version < known->second.facts.version) return;  // An earlier pod.
  happens(known->second, NominationEvent::kGone);
}

void WaitingPods::on_rewind() {
  const MutexLock lock(mutex_);
  for (auto& [key, pod] : pods_) {
    pod.facts.version = pod.nomination.written = 0;
    if (pod.nomination.stage == Stage::kEnded) happens(pod, NominationEvent::kFreed);
  }
}

void WaitingPods::enter(PodFacts facts) {
  std::string key = key_of(facts.ns, facts.name);
  Waiting& pod = pods_[key];
  queue_.arrive(pod.entry, std::move(key), facts.priority);
  pod.facts = std::move(facts);
  pod.arrival = queue_.last_arrival();
  pod.seen = clock_.now();
  take_early_request(pod);
  settle(pod);
}

void WaitingPods::take_in(Waiting& pod, PodFacts facts) {
  const bool refused_anew = facts.refused && facts.refused != pod.facts.refused;
  pod.facts = std::move(facts);
  pod.nomination.note_facts(pod.facts);
  if (refused_anew) {
    queue_.go_behind(pod.entry);
    pod.history.refused_at = clock_.now();
    note_refusal(pod);
  }
  settle(pod);
}

/// An event of a pod that kube-scheduler has tried says something of those that it has not.
void WaitingPods::note_try(const Waiting& pod, const PodFacts& facts) {
  const PodFacts& before = pod.facts;
  // A gated pod is not tried. Those of a group are tried together, when the group's turn comes.
  if (!before.gates.empty() || before.in_pod_group) return;
  const bool bound = !facts.node.empty() && before.node.empty();
  const bool refused = facts.refused && facts.refused != before.refused;
  if (!bound && !refused) return;
  doubts_.tried({.scheduler = before.scheduler,
                 .priority = before.priority,
                 .arrival = pod.arrival,
                 .is_new = !before.refused},
                queue_.last_arrival(), clock_.now());
}

// ---- from the writers ----

bool WaitingPods::is_wanted(Ticket ticket) const {
  const MutexLock lock(mutex_);
  return queue_.has(ticket);
}

std::optional<std::chrono::duration<double>> WaitingPods::report(const WriteReport& report) {
  const MutexLock lock(mutex_);
  Waiting* const pod = find(report.ticket);
  if (!pod || pod->nomination.stage != Stage::kWriting) return std::nullopt;
  pod->nomination.note_report(report);
  std::optional<std::chrono::duration<double>> since_seen;
  if (report.event == NominationEvent::kWritten && !std::exchange(pod->timed, true))
    since_seen = clock_.now() - pod->seen;
  if (!happens(*pod, report.event)) return since_seen;
  // Another lead has begun meanwhile, which has not looked at a pod that was being written.
  if (leading_ && pod->nomination.lead != lead_) end_missing(*pod);
  settle(*pod);
  return since_seen;
}

// ---- the lead ----

void WaitingPods::begin_lead() {
  const MutexLock lock(mutex_);
  leading_ = true;
  ++lead_;
  for (auto& [key, pod] : pods_) {
    end_missing(pod);
    // It cannot be over: that has been told in kInherited.
    if (pod.nomination.stage == Stage::kInherited && happens(pod, NominationEvent::kAdopted)) settle(pod);
  }
}

/// Ends a nomination of an earlier lead that nobody knows to be on the API, and that is not.
void WaitingPods::end_missing(Waiting& pod) {
  if (pod.nomination.is_missing(pod.facts)) happens(pod, NominationEvent::kNotThere);
}

void WaitingPods::end_lead() {
  const MutexLock lock(mutex_);
  leading_ = false;
}

std::vector<Effect> WaitingPods::take_effects() {
  const MutexLock lock(mutex_);
  return std::exchange(effects_, {});
}

// ---- what follows ----

/// Draws the conclusions from the facts. Each may lead to another.
void WaitingPods::settle(Waiting& pod) {
  while (const auto event = pod.nomination.event_told(pod.facts, options_.gate)) {
    if (!transition_of(pod.nomination.stage, *event)) break;
    if (!happens(pod, *event)) return;
  }
  update_doubt(pod);
}

/// Does what the table says. @return false: the pod is forgotten.
bool WaitingPods::happens(Waiting& pod, NominationEvent event) {
  const Stage stage = pod.nomination.stage;
  const Transition* const transition = transition_of(stage, event);
  if (!transition) return true;
  const Time now = clock_.now();
  if (auto effect = effect_of(*transition, pod.nomination, pod.facts, now)) {
    effect->requested = pod.requested;
    effects_.push_back(*std::move(effect));
  }
  if (transition->waits)
    pod.history = retry::after_miss(pod.history, /*stood=*/stage == Stage::kNominated, event, now);
  if (!options_.on_request || !effects_.empty()) wake();
  if (transition->to == Stage::kForgotten) {
    forget(pod);
    return false;
  }
  follow(pod, *transition);
  update_doubt(pod);
  return true;
}

void WaitingPods::forget(Waiting& pod) {
  const std::string key = pod.entry.key();
  doubts_.forget(key, pod.doubt);
  queue_.remove(pod.entry);
  pods_.erase(key);
}

void WaitingPods::follow(Waiting& pod, const Transition& transition) {
  const bool stays_on_api = pod.nomination.is_failed_withdrawal(transition.on);
  pod.nomination.follow(transition, pod.facts);
  switch (transition.to) {
    case Stage::kQueued:
      return requeue(pod, transition.on, stays_on_api);
    case Stage::kForeign:
    case Stage::kEnded:
      return queue_.remove(pod.entry);
    case Stage::kInherited:
      queue_.remove(pod.entry);
      if (leading_) happens(pod, NominationEvent::kAdopted);
      return;
    case Stage::kNominated:
      pod.history.nominated_since = clock_.now();
      if (transition.on == NominationEvent::kAdopted) queue_.new_ticket(pod.entry);
      return;
    case Stage::kWriting:
    case Stage::kForgotten:
      return;
  }
}

/// Puts the pod where it belongs in kQueued. @param stays_on_api  its nomination could not be taken away.
void WaitingPods::requeue(Waiting& pod, NominationEvent event, bool stays_on_api) {
  queue_.remove(pod.entry);
  if (event == NominationEvent::kChanged) {
    pod.history = retry::after_change(pod.history);
    pod.rests_in = Place::kNowhere;
  }
  if (event == NominationEvent::kWroteNothing && pod.rests_in != Place::kNowhere && !pod.request)
    return queue_.put(pod.entry, pod.rests_in);
  // In a pause the nomination may not stand: it would keep others away from the node.
  const bool pauses = pod.history.not_before > clock_.now();
  const bool is_wanted = !options_.on_request || pod.request;
  if (pauses && (pod.nomination.on_api.empty() ? is_wanted : stays_on_api))
    return queue_.back_off(pod.entry, pod.history.not_before);
  await_decision(pod);
}

/// Has the nomination doubted when it is time. To be called after each change of the pod.
void WaitingPods::update_doubt(Waiting& pod) {
  doubts_.update(pod.entry.key(), pod.doubt,
                 retry::doubt_time(pod.nomination, pod.facts, pod.history, options_.gate,
                                   options_.on_request ? retry::kUnfollowedInBackOff : retry::kUnfollowed),
                 pod.nomination.may_be_tried(pod.facts));
}

// ---- for metrics and pages ----

WaitingFigures WaitingPods::figures() const {
  const MutexLock lock(mutex_);
  WaitingFigures figures{.left_out = left_out_};
  for (const auto& [key, pod] : pods_) {
    const Stage stage = pod.nomination.stage;
    if (stage == Stage::kEnded) continue;
    const bool unschedulable = pod.entry.place() == Place::kUnschedulable;
    const bool left_out = unschedulable && pod.nomination.why_not;
    if (options_.on_request && pod.entry.place() == Place::kAside && !pod.nomination.why_not) continue;
    if (stage == Stage::kForeign || pod.entry.place() == Place::kAside || left_out)
      ++figures.left;
    else if (stage != Stage::kQueued)
      ++figures.nominated;
    else
      ++(unschedulable ? figures.fit_nowhere : figures.queued);
  }
  return figures;
}

std::optional<NominationStatus> WaitingPods::status_of(std::string_view ns, std::string_view name) const {
  const MutexLock lock(mutex_);
  const auto found = pods_.find(key_of(ns, name));
  if (found == pods_.end()) return std::nullopt;
  const Waiting& pod = found->second;
  const Nomination& nomination = pod.nomination;
  NominationStatus status{.uid = pod.facts.uid, .stage = nomination.stage, .node = nomination.node};
  const bool unschedulable = pod.entry.place() == Place::kUnschedulable;
  if (unschedulable || pod.entry.place() == Place::kAside) status.why_not = nomination.why_not;
  status.fits_nowhere = unschedulable && !status.why_not;
  return status;
}

std::size_t WaitingPods::size() const {
  const MutexLock lock(mutex_);
  return pods_.size();
}

void WaitingPods::wait_until(Time time) {
  const MutexLock lock(mutex_);
  while (!news_ && mutex_.wait_until(happened_, time)) {
  }
  news_ = false;
}

}  // namespace winnow
