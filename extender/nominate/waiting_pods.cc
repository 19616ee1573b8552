// What happens to waiting pods: the events of the watch, the reports of writers, and what the table makes of
// them. What the decider asks for is in waiting_pods_queue.cc.
#include "extender/nominate/waiting_pods.h"

#include <algorithm>

#include "cluster/api/meta.h"
#include "cluster/state/state.h"

namespace winnow {
namespace {

/// kube-scheduler's text about a pod that it gave up, after the nomination was taken away, says that it
/// tried.
NominationEvent taken_away(const PodFacts& facts) {
  return facts.refused ? NominationEvent::kRefused : NominationEvent::kCleared;
}

}  // namespace

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
    pod.facts.version = pod.written = 0;
    if (pod.stage == Stage::kEnded) happens(pod, NominationEvent::kFreed);
  }
}

void WaitingPods::enter(PodFacts facts) {
  std::string key = key_of(facts.ns, facts.name);
  Waiting& pod = pods_[key];
  pod.key = std::move(key);
  pod.facts = std::move(facts);
  pod.rank = {-std::int64_t{pod.facts.priority}, ++arrivals_};
  pod.arrival = arrivals_;
  pod.seen = options_.now();
  pod.stage = Stage::kLeft;
  settle(pod);
}

void WaitingPods::take_in(Waiting& pod, PodFacts facts) {
  const bool refused_anew = facts.refused && facts.refused != pod.facts.refused;
  pod.facts = std::move(facts);
  if (!pod.node.empty() && pod.facts.nominated == pod.node) pod.shown = true;
  if (refused_anew) {
    go_behind(pod);
    pod.refused_at = options_.now();
  }
  settle(pod);
}

/// Draws the conclusions from the facts. Each may lead to another.
void WaitingPods::settle(Waiting& pod) {
  for (auto happening = told(pod); happening; happening = told(pod)) {
    if (!fate_of(pod.stage, *happening)) break;
    if (!happens(pod, *happening)) return;
  }
  watch_over(pod);
}

/// What the facts tell that the stage does not show yet.
std::optional<NominationEvent> WaitingPods::told(const Waiting& pod) const {
  const PodFacts& facts = pod.facts;
  if (!facts.node.empty())
    return facts.node == pod.node ? NominationEvent::kBoundThere : NominationEvent::kBoundElsewhere;
  if (facts.over) return NominationEvent::kGone;
  const bool before_our_write = facts.version != 0 && facts.version < pod.written;
  if (!before_our_write)
    if (const auto happening = told_of_nomination(pod)) return happening;
  if (pod.stage == Stage::kStanding && why_not_nominated(facts, options_.gate))
    return NominationEvent::kLeftOut;
  if ((pod.stage == Stage::kStanding || pod.stage == Stage::kQueued) && is_stale(pod))
    return NominationEvent::kChanged;
  return std::nullopt;
}

/// Whether the last decision was about other facts.
bool WaitingPods::is_stale(const Waiting& pod) const {
  if (pod.decided_hash == 0) return false;
  if (pod.facts.rules_hash != pod.decided_hash) return true;
  const auto why = why_not_nominated(pod.facts, options_.gate);
  return pod.stage == Stage::kQueued && why != pod.why_not && (why || !is_of_cache(*pod.why_not));
}

std::optional<NominationEvent> WaitingPods::told_of_nomination(const Waiting& pod) const {
  const PodFacts& facts = pod.facts;
  const bool none = facts.nominated.empty();
  const NominationEvent another =
      facts.nominated_by_winnow ? NominationEvent::kFoundOurs : NominationEvent::kTaken;
  switch (pod.stage) {
    case Stage::kLeft:
      if (!none && another == NominationEvent::kTaken) return std::nullopt;
      return none ? NominationEvent::kFreed : another;
    case Stage::kQueued:
      if (none || facts.nominated == pod.on_api) return std::nullopt;
      return another;
    case Stage::kStanding:
      if (facts.nominated == pod.node) return std::nullopt;
      if (!none) return another;
      if (pod.written == 0 && !pod.shown) return std::nullopt;  // It may not be written yet.
      return taken_away(facts);
    case Stage::kFound:
      if (facts.nominated == pod.node) return std::nullopt;
      return none ? taken_away(facts) : another;
    case Stage::kWriting:
    case Stage::kEnded:
    case Stage::kOver:
      return std::nullopt;
  }
  return std::nullopt;
}

/// Does what the table says. @return false: the pod is forgotten.
bool WaitingPods::happens(Waiting& pod, NominationEvent happening) {
  const Transition* const fate = fate_of(pod.stage, happening);
  if (!fate) return true;
  add_effect(pod, *fate);
  if (fate->misses) miss(pod, happening);
  news_ = true;
  happened_.notify_all();
  if (fate->next == Stage::kOver) {
    put(pod, Place::kNowhere);
    drop_ticket(pod);
    check_at(pod, Time::max());
    passed_over_.forget(pod.key);
    pods_.erase(std::string(pod.key));
    return false;
  }
  move(pod, *fate);
  watch_over(pod);
  return true;
}

void WaitingPods::add_effect(const Waiting& pod, const Transition& fate) {
  if (pod.node.empty()) return;  // No nomination ends here.
  const PodFacts& facts = pod.facts;
  if (fate.assumption == Assumption::kStays && !fate.outcome) return;
  effects_.push_back({.ns = facts.ns,
                      .name = facts.name,
                      .uid = facts.uid,
                      .node = pod.node,
                      .when = options_.now(),
                      .happening = fate.happening,
                      .assumption = fate.assumption,
                      .steps_back = fate.steps_back,
                      .outcome = fate.outcome,
                      .refused = facts.refused});
}

void WaitingPods::miss(Waiting& pod, NominationEvent happening) {
  const Time now = options_.now();
  // The right may come at any time. A denial is reported for longer than this: see Denials.
  if (happening == NominationEvent::kDenied || happening == NominationEvent::kGateStays) {
    pod.not_before = now + kPause;
    return;
  }
  if (pod.stage == Stage::kStanding && now - pod.since > kLongestPause) pod.misses = 0;
  const unsigned before = pod.misses++;
  std::chrono::seconds pause{before == 0 ? 0 : 1 << std::min(before - 1, 9u)};
  // After a refusal kube-scheduler does not try the pod for a second. One that it does not follow, it tries
  // again because the nomination goes.
  if (happening == NominationEvent::kRefused || happening == NominationEvent::kUnfollowed)
    pause = std::max(pause, std::chrono::seconds(1));
  if (happening == NominationEvent::kPassedOver) pause = kPassedOverPause * (1 << std::min(before, 9u));
  pod.not_before = now + std::min(pause, kLongestPause);
}

void WaitingPods::move(Waiting& pod, const Transition& fate) {
  using enum NominationEvent;
  const NominationEvent happening = fate.happening;
  if (happening == kWritten || happening == kUnclear) pod.on_api = pod.node;
  if (happening == kWroteNothing || happening == kRefused || happening == kCleared || happening == kTaken ||
      happening == kNotThere || happening == kOverruled)
    pod.on_api.clear();
  pod.stage = fate.next;
  switch (fate.next) {
    case Stage::kQueued:
      return queue(pod, happening);
    case Stage::kLeft:
      put(pod, Place::kNowhere);
      drop_ticket(pod);
      pod.node.clear();
      return;
    case Stage::kFound:
      put(pod, Place::kNowhere);
      drop_ticket(pod);
      pod.node = pod.on_api = pod.facts.nominated;
      pod.shown = true;
      if (leading_) happens(pod, kAdopted);
      return;
    case Stage::kStanding:
      pod.since = options_.now();
      if (happening == kAdopted) {
        new_ticket(pod);
        pod.decided_hash = pod.facts.rules_hash;
      }
      return;
    case Stage::kEnded:
      put(pod, Place::kNowhere);
      drop_ticket(pod);
      return;
    case Stage::kWriting:
    case Stage::kOver:
      return;
  }
}

/// Puts the pod where it belongs in kQueued.
void WaitingPods::queue(Waiting& pod, NominationEvent happening) {
  drop_ticket(pod);
  put(pod, Place::kNowhere);  // Before `not_before` changes, which the pod may stand under.
  const bool fails = happening == NominationEvent::kRejected || happening == NominationEvent::kDenied;
  const bool stays_on_api = fails && pod.node.empty();  // It could not be taken away.
  pod.node.clear();
  pod.shown = pod.gate_stays = false;

  if (happening == NominationEvent::kChanged) {
    pod.decided_hash = 0;
    pod.misses = 0;
    pod.not_before = {};
    pod.unfit = pod.foreign = false;
    pod.why_not.reset();
  }
  if (happening == NominationEvent::kWroteNothing && pod.unfit) return put(pod, Place::kUnfit);
  if (happening == NominationEvent::kWroteNothing && pod.foreign) return put(pod, Place::kAside);
  // In a pause the nomination may not stand: it would keep others away from the node.
  const bool pauses = pod.not_before > options_.now();
  put(pod, pauses && (pod.on_api.empty() || stays_on_api) ? Place::kLater : Place::kReady);
}

std::optional<std::chrono::duration<double>> WaitingPods::report(const WriteReport& report) {
  const MutexLock lock(mutex_);
  Waiting* const pod = find(report.ticket);
  if (!pod || pod->stage != Stage::kWriting) return std::nullopt;
  // Until the watch has shown a nomination of unknown version, nothing says that it was taken away.
  const bool nominates =
      report.happening == NominationEvent::kWritten || report.happening == NominationEvent::kUnclear;
  pod->written = nominates ? report.version : std::max(pod->written, report.version);
  pod->gate_stays = report.gate_stays;
  std::optional<std::chrono::duration<double>> since_seen;
  if (report.happening == NominationEvent::kWritten && !std::exchange(pod->timed, true))
    since_seen = options_.now() - pod->seen;
  if (!happens(*pod, report.happening)) return since_seen;
  // Another lead has begun meanwhile, which has not looked at a pod that was being written.
  if (leading_ && pod->lead != lead_) end_unwritten(*pod);
  settle(*pod);
  return since_seen;
}

void WaitingPods::begin_lead() {
  const MutexLock lock(mutex_);
  leading_ = true;
  ++lead_;
  for (auto& [key, pod] : pods_) {
    end_unwritten(pod);
    // It cannot be over: that has been told in kFound.
    if (pod.stage == Stage::kFound && happens(pod, NominationEvent::kAdopted)) settle(pod);
  }
}

/// Ends a nomination of an earlier lead that nobody knows to be on the API, and that is not.
void WaitingPods::end_unwritten(Waiting& pod) {
  const bool never_shown = pod.stage == Stage::kStanding && !pod.shown && pod.written == 0;
  if (never_shown && pod.facts.nominated != pod.node) happens(pod, NominationEvent::kNotThere);
}

void WaitingPods::end_lead() {
  const MutexLock lock(mutex_);
  leading_ = false;
}

std::vector<Effect> WaitingPods::take_effects() {
  const MutexLock lock(mutex_);
  return std::exchange(effects_, {});
}

}  // namespace winnow
