// The nominations that stand, and whether kube-scheduler is about to place their pods. A place is held by
// evidence: of the pod's own condition, of its gate, and of the order in which kube-scheduler tries pods.
#include <algorithm>
#include <chrono>
#include <utility>

#include "extender/nominate/waiting_pods.h"

namespace winnow {
namespace {

/// Between two looks at all pods that were overtaken, where none was due.
constexpr std::chrono::milliseconds kBetweenLooks{50};

}  // namespace

/// An event of a pod that kube-scheduler has tried says something of those that it has not.
void WaitingPods::note_try(const Waiting& pod, const PodFacts& facts) {
  const PodFacts& before = pod.facts;
  // A gated pod is not tried. Those of a group are tried together, when the group's turn comes.
  if (!before.gates.empty() || before.in_pod_group) return;
  const bool bound = !facts.node.empty() && before.node.empty();
  const bool refused = facts.refused && facts.refused != before.refused;
  if (!bound && !refused) return;
  passed_over_.tried({.scheduler = before.scheduler,
                      .priority = before.priority,
                      .arrival = pod.arrival,
                      .is_new = !before.refused},
                     arrivals_, options_.now());
}

/// The watch shows the nomination, and that it is Winnow's. One that kube-scheduler has written itself is not
/// to be doubted: it prepares that node.
bool WaitingPods::is_shown(const Waiting& pod) {
  return pod.stage == Stage::kStanding && pod.facts.nominated == pod.node && pod.facts.nominated_by_winnow;
}

/// kube-scheduler has the pod among those that it is to try, if it knows no reason against that. One that it
/// has given up may rest until something happens.
bool WaitingPods::may_be_tried(const Waiting& pod) {
  return is_shown(pod) && pod.facts.gates.empty() && !pod.facts.refused;
}

/// Has the nomination doubted when it is time. To be called after each change of the pod.
void WaitingPods::watch_over(Waiting& pod) {
  if (!may_be_tried(pod))
    passed_over_.forget(pod.key);
  else if (!passed_over_.expects(pod.key) && !std::exchange(pod.to_expect, true))
    to_expect_.push_back(pod.key);
  check_at(pod, check_time(pod));
}

/// When the nomination is to be looked at for what its own pod tells.
WaitingPods::Time WaitingPods::check_time(const Waiting& pod) const {
  if (!is_shown(pod)) return Time::max();
  if (has_gate_still(pod)) return pod.gate_stays ? pod.since + kUnfollowed : pod.since;
  if (!pod.facts.refused || !pod.facts.gates.empty()) return Time::max();
  return std::max(std::max(pod.since, pod.refused_at) + kUnfollowed, pod.trusted_until);
}

void WaitingPods::check_at(Waiting& pod, Time time) {
  if (time == pod.check_at) return;
  if (time != Time::max()) checks_.emplace(time, pod.key);
  if (pod.check_at != Time::max()) checks_.erase({pod.check_at, pod.key});
  pod.check_at = time;
}

std::optional<PodToLookAt> WaitingPods::next_doubt() {
  const MutexLock lock(mutex_);
  for (const std::string& key : std::exchange(to_expect_, {})) expect(key);
  const Time now = options_.now();
  if (!checks_.empty() && checks_.begin()->first <= now)
    return doubt(pods_.find(checks_.begin()->second)->second);
  if (now < passed_over_after_) return std::nullopt;
  const std::string passed_over = passed_over_.passed_over(now);
  if (passed_over.empty()) {
    passed_over_after_ = now + kBetweenLooks;
    return std::nullopt;
  }
  const Waiting& pod = pods_.find(passed_over)->second;
  return PodToLookAt{
      .ticket = pod.ticket, .facts = pod.facts, .node = pod.node, .doubt = NominationEvent::kPassedOver};
}

/// Pods that arrive from now on come behind this one, as kube-scheduler sees it.
void WaitingPods::expect(const std::string& key) {
  const auto found = pods_.find(key);
  if (found == pods_.end()) return;
  Waiting& pod = found->second;
  pod.to_expect = false;
  if (may_be_tried(pod)) passed_over_.expect(key, {pod.facts.scheduler, pod.facts.priority}, arrivals_);
}

/// What is to be done about a pod whose time in `checks_` has come.
PodToLookAt WaitingPods::doubt(const Waiting& pod) const {
  PodToLookAt doubt{.ticket = pod.ticket, .facts = pod.facts, .node = pod.node};
  doubt.ungate = has_gate_still(pod) && !pod.gate_stays;
  if (!doubt.ungate)
    doubt.doubt = pod.gate_stays ? NominationEvent::kGateStays : NominationEvent::kUnfollowed;
  return doubt;
}

void WaitingPods::end(Ticket ticket, NominationEvent happening) {
  const MutexLock lock(mutex_);
  if (Waiting* const pod = find(ticket); pod && pod->stage == Stage::kStanding) happens(*pod, happening);
}

void WaitingPods::trust(Ticket ticket) {
  const MutexLock lock(mutex_);
  Waiting* const pod = find(ticket);
  if (!pod || pod->stage != Stage::kStanding) return;
  pod->trusted_until = options_.now() + kTrusted;
  passed_over_.forget(pod->key);
  watch_over(*pod);
}

}  // namespace winnow
