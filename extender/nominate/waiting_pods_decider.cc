// What the decider asks of the waiting pods, and what it has found: decisions, looks and doubts.
#include "extender/nominate/waiting_pods.h"

namespace winnow {

WaitingPods::Waiting* WaitingPods::find(Ticket ticket) {
  const DecisionQueue::Entry* const entry = queue_.find(ticket);
  return entry ? &pods_.find(entry->key())->second : nullptr;
}

/// The pod that next() has given out and that nothing has happened to since.
WaitingPods::Waiting* WaitingPods::find_in_hand(Ticket ticket) {
  Waiting* const pod = find(ticket);
  const bool in_hand =
      pod && pod->nomination.stage == Stage::kQueued && pod->entry.place() == Place::kNowhere;
  return in_hand ? pod : nullptr;
}

WaitingPods::Waiting* WaitingPods::find_nominated(Ticket ticket) {
  Waiting* const pod = find(ticket);
  return pod && pod->nomination.stage == Stage::kNominated ? pod : nullptr;
}

// ---- decisions ----

std::optional<PodToDecide> WaitingPods::next() {
  const MutexLock lock(mutex_);
  const Time now = clock_.now();
  const DecisionQueue::Entry* const first = queue_.first(now);
  if (!first) return std::nullopt;
  Waiting& pod = pods_.find(first->key())->second;
  Nomination& nomination = pod.nomination;
  const bool withdraws = pod.history.not_before > now || (options_.on_request && !pod.request);
  PodToDecide next{queue_.new_ticket(pod.entry),
                   pod.facts,
                   withdraws,
                   why_not_nominated(pod.facts, options_.gate),
                   nomination.why_not,
                   pod.request && pod.request->by_eviction};
  queue_.put(pod.entry, Place::kNowhere);
  pod.rests_in = Place::kNowhere;
  nomination.decided_hash = pod.facts.rules_hash;
  if (!next.why_not && nomination.why_not && !is_of_cache(*nomination.why_not)) nomination.why_not.reset();
  return next;
}

std::optional<NominationWrite> WaitingPods::chosen(Ticket ticket, const std::string& node, bool by_eviction) {
  const MutexLock lock(mutex_);
  Waiting* const pod = find_in_hand(ticket);
  if (!pod) return std::nullopt;
  pod->nomination.why_not.reset();
  pod->request.reset();
  pod->by_eviction = by_eviction;
  return begin_write(*pod, node, /*with_gate=*/true);
}

std::optional<NominationWrite> WaitingPods::fits_nowhere(Ticket ticket) {
  const MutexLock lock(mutex_);
  Waiting* const pod = find_in_hand(ticket);
  if (!pod) return std::nullopt;
  pod->nomination.why_not.reset();
  const bool ungates = pod->facts.has_only_gate(options_.gate) && options_.release_infeasible;
  return rest(*pod, Place::kUnschedulable, ungates);
}

void WaitingPods::not_now(Ticket ticket) {
  const MutexLock lock(mutex_);
  if (Waiting* const pod = find_in_hand(ticket)) try_later(*pod);
}

/// The pod was not decided: it is looked at later, or decided again.
void WaitingPods::try_later(Waiting& pod) {
  if (!options_.on_request) return queue_.put(pod.entry, Place::kUnschedulable);
  if (pod.request && ++pod.request->tries > kMostTries) pod.request.reset();
  await_decision(pod);
}

void WaitingPods::give_back(Ticket ticket) {
  const MutexLock lock(mutex_);
  Waiting* const pod = find(ticket);
  if (!pod) return;
  if (find_in_hand(ticket)) return try_later(*pod);
  if (pod->nomination.stage == Stage::kWriting && happens(*pod, NominationEvent::kRejected)) settle(*pod);
}

std::optional<NominationWrite> WaitingPods::withdraw(Ticket ticket) {
  const MutexLock lock(mutex_);
  Waiting* const pod = find_in_hand(ticket);
  if (!pod) return std::nullopt;
  return begin_write(*pod, "", /*with_gate=*/false);
}

std::optional<NominationWrite> WaitingPods::leave_to_others(Ticket ticket) {
  const MutexLock lock(mutex_);
  Waiting* const pod = find_in_hand(ticket);
  if (!pod) return std::nullopt;
  pod->rests_in = Place::kAside;
  pod->history.aside_until = Time::max();
  if (pod->nomination.has_gate_still(pod->facts, options_.gate))
    return begin_write(*pod, "", /*with_gate=*/true);
  queue_.put(pod->entry, Place::kAside);
  return std::nullopt;
}

std::optional<NominationWrite> WaitingPods::leave_out(Ticket ticket, WhyNotNominated why) {
  const MutexLock lock(mutex_);
  Waiting* const pod = find_in_hand(ticket);
  if (!pod) return std::nullopt;
  if (pod->nomination.why_not != why) ++left_out_[static_cast<std::size_t>(why)];
  pod->nomination.why_not = why;
  pod->history.aside_until = Time::max();
  // An event from before a write that failed half tells of the gate, too.
  return rest(*pod, is_of_cache(why) ? Place::kUnschedulable : Place::kAside,
              pod->facts.has_only_gate(options_.gate));
}

/// The pod rests in the place: at once, or when our nomination, and the gate if it is to go, are taken away.
std::optional<NominationWrite> WaitingPods::rest(Waiting& pod, Place place, bool ungates) {
  pod.request.reset();
  if (options_.on_request) place = Place::kAside;
  if (place == Place::kAside) pod.history.aside_until = Time::max();
  pod.rests_in = place;
  if (!pod.nomination.on_api.empty() || ungates) return begin_write(pod, "", ungates);
  queue_.put(pod.entry, place);
  return std::nullopt;
}

NominationWrite WaitingPods::begin_write(Waiting& pod, const std::string& node, bool with_gate) {
  NominationWrite write = pod.nomination.begin_write(
      pod.facts, node, with_gate ? std::string_view(options_.gate) : std::string_view());
  write.ticket = pod.entry.ticket();
  pod.nomination.lead = lead_;
  update_doubt(pod);
  return write;
}

void WaitingPods::reconsider() {
  const MutexLock lock(mutex_);
  for (auto& [key, pod] : pods_)
    if (pod.entry.place() == Place::kAside) await_decision(pod);
}

// ---- looks ----

bool WaitingPods::begin_round() {
  const MutexLock lock(mutex_);
  if (queue_.in_round()) return false;
  std::vector<const DecisionQueue::Entry*> entries;
  const Time now = clock_.now();
  for (auto& [key, pod] : pods_) {
    const Stage stage = pod.nomination.stage;
    if (pod.entry.place() == Place::kAside && pod.history.aside_until <= now)
      queue_.put(pod.entry, Place::kUnschedulable);
    // No pod is in hand now. It has come from a change that threw.
    if (stage == Stage::kQueued && pod.entry.place() == Place::kNowhere) try_later(pod);
    if (pod.entry.place() == Place::kUnschedulable || stage == Stage::kNominated || is_stuck(pod))
      entries.push_back(&pod.entry);
  }
  queue_.begin_round(std::move(entries));
  return true;
}

std::optional<PodToLookAt> WaitingPods::next_look() {
  const MutexLock lock(mutex_);
  while (const auto key = queue_.next_of_round()) {
    const auto pod = pods_.find(*key);
    if (pod == pods_.end()) continue;
    if (auto look = look_at(pod->second)) return look;
  }
  return std::nullopt;
}

std::optional<PodToLookAt> WaitingPods::look_at(Waiting& pod) {
  if (is_stuck(pod))
    return PodToLookAt{
        .ticket = queue_.new_ticket(pod.entry), .facts = pod.facts, .node = "", .ungate = true};
  if (pod.entry.place() == Place::kUnschedulable)
    return PodToLookAt{.ticket = queue_.new_ticket(pod.entry),
                       .facts = pod.facts,
                       .node = "",
                       .why_not = pod.nomination.why_not};
  if (pod.nomination.stage != Stage::kNominated || pod.by_eviction) return std::nullopt;
  return PodToLookAt{.ticket = pod.entry.ticket(), .facts = pod.facts, .node = pod.nomination.node};
}

/// It has somebody else's nomination, and kube-scheduler does not see it for our gate.
bool WaitingPods::is_stuck(const Waiting& pod) const {
  return pod.nomination.stage == Stage::kForeign && pod.facts.has_only_gate(options_.gate) &&
         !pod.facts.nominated.empty() && clock_.now() >= pod.history.ungate_at;
}

void WaitingPods::decide_again(Ticket ticket) {
  const MutexLock lock(mutex_);
  Waiting* const pod = find(ticket);
  if (pod && pod->entry.place() == Place::kUnschedulable) queue_.put(pod->entry, Place::kActive);
}

void WaitingPods::set_aside(Ticket ticket) {
  const MutexLock lock(mutex_);
  Waiting* const pod = find(ticket);
  if (!pod || pod->entry.place() != Place::kUnschedulable) return;
  pod->history.aside_until = clock_.now() + retry::kExpensivePodPause;
  queue_.put(pod->entry, Place::kAside);
}

std::optional<NominationWrite> WaitingPods::ungate(Ticket ticket) {
  const MutexLock lock(mutex_);
  Waiting* const pod = find(ticket);
  if (!pod) return std::nullopt;
  Nomination& nomination = pod->nomination;
  if (nomination.stage == Stage::kNominated) return begin_write(*pod, nomination.node, /*with_gate=*/true);
  if (nomination.stage != Stage::kForeign) return std::nullopt;
  // The stage stays, since the pod's nomination does. What comes of the write only the watch tells.
  pod->history.ungate_at = clock_.now() + retry::kPause;
  return NominationWrite{.ticket = ticket, .pod = nomination.identity(pod->facts), .gate = options_.gate};
}

// ---- doubts ----

std::optional<PodToLookAt> WaitingPods::next_doubt() {
  const MutexLock lock(mutex_);
  expect_new_ones();
  const auto due = doubts_.next(clock_.now());
  if (!due) return std::nullopt;
  return doubt_about(pods_.find(due->key)->second, due->passed_over);
}

/// Pods that arrive from now on come behind those that stand nominated by now, as kube-scheduler sees it.
void WaitingPods::expect_new_ones() {
  for (const std::string& key : doubts_.take_new()) {
    const auto found = pods_.find(key);
    if (found == pods_.end()) continue;
    Waiting& pod = found->second;
    const PassedOver::Nominated nominated{.scheduler = pod.facts.scheduler, .priority = pod.facts.priority};
    const bool may_be_tried = pod.nomination.may_be_tried(pod.facts);
    doubts_.expect(key, pod.doubt, may_be_tried ? &nominated : nullptr, queue_.last_arrival());
  }
}

/// What is to be done about a nomination whose time has come.
PodToLookAt WaitingPods::doubt_about(const Waiting& pod, bool passed_over) const {
  const Nomination& nomination = pod.nomination;
  PodToLookAt doubt{.ticket = pod.entry.ticket(), .facts = pod.facts, .node = nomination.node};
  if (passed_over)
    doubt.doubt = NominationEvent::kPassedOver;
  else if (nomination.gate_stays)
    doubt.doubt = NominationEvent::kGateStays;
  else if (nomination.has_gate_still(pod.facts, options_.gate))
    doubt.ungate = true;
  else
    doubt.doubt = NominationEvent::kUnfollowed;
  return doubt;
}

void WaitingPods::end(Ticket ticket, NominationEvent event) {
  const MutexLock lock(mutex_);
  if (Waiting* const pod = find_nominated(ticket)) happens(*pod, event);
}

void WaitingPods::trust(Ticket ticket) {
  const MutexLock lock(mutex_);
  Waiting* const pod = find_nominated(ticket);
  if (!pod) return;
  pod->history.trusted_until = clock_.now() + retry::kTrusted;
  doubts_.trust(pod->entry.key());
  update_doubt(*pod);
}

}  // namespace winnow
