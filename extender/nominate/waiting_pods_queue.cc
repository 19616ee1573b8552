// The queue of waiting pods: what the decider asks for, and what it has decided.
#include <algorithm>
#include <ranges>

#include "cluster/api/meta.h"
#include "extender/nominate/waiting_pods.h"

namespace winnow {

bool WaitingPods::is_gated(const PodFacts& facts) const {
  return !options_.gate.empty() && facts.gates.size() == 1 && facts.gates.front() == options_.gate;
}

/// If it throws, as for want of memory, the pod stays where it was.
void WaitingPods::put(Waiting& pod, Place place) {
  if (place == pod.place) return;
  if (place == Place::kReady) ready_.emplace(pod.rank, pod.key);
  if (place == Place::kLater) later_.emplace(std::pair(pod.not_before, pod.rank.second), pod.key);
  if (pod.place == Place::kReady) ready_.erase(pod.rank);
  if (pod.place == Place::kLater) later_.erase({pod.not_before, pod.rank.second});
  pod.place = place;
}

void WaitingPods::go_behind(Waiting& pod) {
  const Place place = pod.place;
  put(pod, Place::kNowhere);
  pod.rank.second = ++arrivals_;
  put(pod, place);
}

Ticket WaitingPods::new_ticket(Waiting& pod) {
  drop_ticket(pod);
  pod.ticket = ++last_ticket_;
  tickets_[pod.ticket] = pod.key;
  return pod.ticket;
}

void WaitingPods::drop_ticket(Waiting& pod) { tickets_.erase(std::exchange(pod.ticket, 0)); }

WaitingPods::Waiting* WaitingPods::find(Ticket ticket) {
  const auto key = tickets_.find(ticket);
  return key == tickets_.end() ? nullptr : &pods_.find(key->second)->second;
}

/// The pod that next() has given out and that nothing has happened to since.
WaitingPods::Waiting* WaitingPods::find_in_hand(Ticket ticket) {
  Waiting* const pod = find(ticket);
  return pod && pod->stage == Stage::kQueued && pod->place == Place::kNowhere ? pod : nullptr;
}

/// Makes those ready whose pause has ended. @return the pod that is first; null: none is ready.
WaitingPods::Waiting* WaitingPods::first_ready(Time now) {
  while (!later_.empty() && later_.begin()->first.first <= now) {
    const auto pod = pods_.find(later_.begin()->second);
    const std::size_t before = later_.size();
    if (pod != pods_.end() && pod->second.place == Place::kLater) put(pod->second, Place::kReady);
    if (later_.size() == before) later_.erase(later_.begin());
  }
  for (; !ready_.empty(); ready_.erase(ready_.begin()))
    if (const auto pod = pods_.find(ready_.begin()->second);
        pod != pods_.end() && pod->second.place == Place::kReady)
      return &pod->second;
  return nullptr;
}

std::optional<PodToDecide> WaitingPods::next() {
  const MutexLock lock(mutex_);
  const Time now = options_.now();
  Waiting* const pod = first_ready(now);
  if (!pod) return std::nullopt;
  PodToDecide next{new_ticket(*pod), pod->facts, pod->not_before > now,
                   why_not_nominated(pod->facts, options_.gate), pod->why_not};
  put(*pod, Place::kNowhere);
  pod->unfit = pod->foreign = false;
  if (!next.why_not && pod->why_not && !is_of_cache(*pod->why_not)) pod->why_not.reset();
  pod->decided_hash = pod->facts.rules_hash;
  return next;
}

std::optional<NominationWrite> WaitingPods::chosen(Ticket ticket, const std::string& node) {
  const MutexLock lock(mutex_);
  Waiting* const pod = find_in_hand(ticket);
  if (!pod) return std::nullopt;
  pod->why_not.reset();
  return begin_write(*pod, node, /*with_gate=*/true);
}

std::optional<NominationWrite> WaitingPods::fits_nowhere(Ticket ticket) {
  const MutexLock lock(mutex_);
  Waiting* const pod = find_in_hand(ticket);
  if (!pod) return std::nullopt;
  pod->unfit = true;
  pod->why_not.reset();
  const bool ungates = is_gated(pod->facts) && options_.release_infeasible;
  if (!pod->on_api.empty() || ungates) return begin_write(*pod, "", ungates);
  put(*pod, Place::kUnfit);
  return std::nullopt;
}

void WaitingPods::not_now(Ticket ticket) {
  const MutexLock lock(mutex_);
  if (Waiting* const pod = find_in_hand(ticket)) put(*pod, Place::kUnfit);
}

void WaitingPods::give_back(Ticket ticket) {
  const MutexLock lock(mutex_);
  Waiting* const pod = find(ticket);
  if (!pod) return;
  if (find_in_hand(ticket)) return put(*pod, Place::kUnfit);
  if (pod->stage == Stage::kWriting && happens(*pod, NominationEvent::kRejected)) settle(*pod);
}

std::optional<NominationWrite> WaitingPods::withdraw(Ticket ticket) {
  const MutexLock lock(mutex_);
  Waiting* const pod = find_in_hand(ticket);
  if (!pod) return std::nullopt;
  return begin_write(*pod, "", /*with_gate=*/false);
}

std::optional<NominationWrite> WaitingPods::ungate(Ticket ticket) {
  const MutexLock lock(mutex_);
  Waiting* const pod = find(ticket);
  if (!pod) return std::nullopt;
  if (pod->stage == Stage::kStanding) return begin_write(*pod, pod->node, /*with_gate=*/true);
  if (pod->stage != Stage::kLeft) return std::nullopt;
  // The stage stays, since the pod's nomination does. What comes of the write only the watch tells.
  pod->ungate_at = options_.now() + kPause;
  return NominationWrite{.ticket = ticket, .pod = identity_of(*pod), .gate = options_.gate};
}

std::optional<NominationWrite> WaitingPods::leave(Ticket ticket) {
  const MutexLock lock(mutex_);
  Waiting* const pod = find_in_hand(ticket);
  if (!pod) return std::nullopt;
  pod->foreign = true;
  pod->aside_until = Time::max();
  if (has_gate_still(*pod)) return begin_write(*pod, "", /*with_gate=*/true);
  put(*pod, Place::kAside);
  return std::nullopt;
}

std::optional<NominationWrite> WaitingPods::leave_out(Ticket ticket, WhyNotNominated why) {
  const MutexLock lock(mutex_);
  Waiting* const pod = find_in_hand(ticket);
  if (!pod) return std::nullopt;
  if (pod->why_not != why) ++left_out_[static_cast<std::size_t>(why)];
  pod->why_not = why;
  (is_of_cache(why) ? pod->unfit : pod->foreign) = true;
  pod->aside_until = Time::max();
  const bool ungates = is_gated(pod->facts);  // An event from before a write that failed half tells it, too.
  if (!pod->on_api.empty() || ungates) return begin_write(*pod, "", ungates);
  put(*pod, is_of_cache(why) ? Place::kUnfit : Place::kAside);
  return std::nullopt;
}

live::PodIdentity WaitingPods::identity_of(const Waiting& pod) {
  const PodFacts& facts = pod.facts;
  return {facts.ns, facts.name, facts.uid,
          pod.written > facts.version ? std::to_string(pod.written) : facts.resource_version};
}

/// An event from before our last write may tell of a gate that the write has removed.
bool WaitingPods::has_gate_still(const Waiting& pod) const {
  return is_gated(pod.facts) && (pod.facts.version == 0 || pod.facts.version >= pod.written);
}

NominationWrite WaitingPods::begin_write(Waiting& pod, const std::string& node, bool with_gate) {
  const PodFacts& facts = pod.facts;
  NominationWrite write{
      .ticket = pod.ticket, .pod = identity_of(pod), .instead_of = pod.on_api, .node = node};

  if (with_gate && is_gated(facts)) write.gate = options_.gate;
  pod.stage = Stage::kWriting;
  pod.lead = lead_;
  pod.node = node;
  pod.shown = !node.empty() && node == facts.nominated;
  watch_over(pod);
  return write;
}

void WaitingPods::set_aside(Ticket ticket) {
  const MutexLock lock(mutex_);
  Waiting* const pod = find(ticket);
  if (!pod || pod->place != Place::kUnfit) return;
  pod->aside_until = options_.now() + kExpensivePodPause;
  put(*pod, Place::kAside);
}

void WaitingPods::reconsider() {
  const MutexLock lock(mutex_);
  for (auto& [key, pod] : pods_)
    if (pod.place == Place::kAside) put(pod, Place::kReady);
}

bool WaitingPods::begin_round() {
  const MutexLock lock(mutex_);
  if (!round_.empty()) return false;
  std::vector<std::pair<Rank, const std::string*>> pods;
  const Time now = options_.now();
  for (auto& [key, pod] : pods_) {
    if (pod.place == Place::kAside && pod.aside_until <= now) put(pod, Place::kUnfit);
    // No pod is in hand now. It has come from a change that threw.
    if (pod.stage == Stage::kQueued && pod.place == Place::kNowhere) put(pod, Place::kUnfit);
    if (pod.place == Place::kUnfit || pod.stage == Stage::kStanding || is_stuck(pod))
      pods.emplace_back(pod.rank, &key);
  }
  std::ranges::sort(pods, std::greater());
  for (const auto& [rank, key] : pods) round_.push_back(*key);
  return true;
}

std::optional<PodToLookAt> WaitingPods::next_look() {
  const MutexLock lock(mutex_);
  while (!round_.empty()) {
    const auto pod = pods_.find(round_.back());
    round_.pop_back();
    if (pod == pods_.end()) continue;
    if (auto look = look_at(pod->second)) return look;
  }
  return std::nullopt;
}

/// It has somebody else's nomination, and kube-scheduler does not see it for our gate.
bool WaitingPods::is_stuck(const Waiting& pod) const {
  return pod.stage == Stage::kLeft && is_gated(pod.facts) && !pod.facts.nominated.empty() &&
         options_.now() >= pod.ungate_at;
}

std::optional<PodToLookAt> WaitingPods::look_at(Waiting& pod) {
  if (is_stuck(pod)) return PodToLookAt{new_ticket(pod), pod.facts, "", true};
  if (pod.place == Place::kUnfit)
    return PodToLookAt{.ticket = new_ticket(pod), .facts = pod.facts, .node = "", .why_not = pod.why_not};
  if (pod.stage != Stage::kStanding) return std::nullopt;
  return PodToLookAt{.ticket = pod.ticket, .facts = pod.facts, .node = pod.node};
}

void WaitingPods::decide_again(Ticket ticket) {
  const MutexLock lock(mutex_);
  if (Waiting* const pod = find(ticket); pod && pod->place == Place::kUnfit) put(*pod, Place::kReady);
}

void WaitingPods::no_longer_fits(Ticket ticket) {
  const MutexLock lock(mutex_);
  if (Waiting* const pod = find(ticket); pod && pod->stage == Stage::kStanding)
    happens(*pod, NominationEvent::kNoLongerFits);
}

bool WaitingPods::is_wanted(Ticket ticket) const {
  const MutexLock lock(mutex_);
  return tickets_.contains(ticket);
}

void WaitingPods::wait_until(Time time) {
  const MutexLock lock(mutex_);
  while (!news_ && mutex_.wait_until(happened_, time)) {
  }
  news_ = false;
}

WaitingFigures WaitingPods::figures() const {
  const MutexLock lock(mutex_);
  WaitingFigures figures{.left_out = left_out_};
  for (const auto& [key, pod] : pods_) {
    if (pod.stage == Stage::kEnded) continue;
    const bool queued = pod.stage == Stage::kQueued;
    const bool left_out = pod.place == Place::kUnfit && pod.why_not;
    if (pod.stage == Stage::kLeft || pod.place == Place::kAside || left_out)
      ++figures.left;
    else if (!queued)
      ++figures.nominated;
    else
      ++(pod.place == Place::kUnfit ? figures.fit_nowhere : figures.queued);
  }
  return figures;
}

std::optional<NominationStatus> WaitingPods::status_of(std::string_view ns, std::string_view name) const {
  const MutexLock lock(mutex_);
  const auto pod = pods_.find(key_of(ns, name));
  if (pod == pods_.end()) return std::nullopt;
  const Waiting& waiting = pod->second;
  NominationStatus status{.uid = waiting.facts.uid, .stage = waiting.stage, .node = waiting.node};
  const bool unfit = waiting.place == Place::kUnfit;
  if (unfit || waiting.place == Place::kAside) status.why_not = waiting.why_not;
  status.fits_nowhere = unfit && !status.why_not;
  return status;
}

std::size_t WaitingPods::size() const {
  const MutexLock lock(mutex_);
  return pods_.size();
}

}  // namespace winnow
