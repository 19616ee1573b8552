#include "extender/nominate/nomination_writers.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "cluster/client/servers/pod_write.h"
#include "cluster/state/state.h"

namespace winnow {
namespace {

using live::PatchOutcome;
using live::PatchResult;

/// The time for one patch, over all API servers.
constexpr std::chrono::seconds kForOnePatch{10};
/// The longest time between two looks at what is due to be tried again.
constexpr std::chrono::milliseconds kLookAtDue{500};

/// What a patch has made of the pod, as the table has it.
NominationEvent event_after(const PatchResult& result, const std::string& node) {
  switch (result.outcome) {
    case PatchOutcome::kWritten:
    case PatchOutcome::kAlreadySo:
      return node.empty() ? NominationEvent::kWroteNothing : NominationEvent::kWritten;
    case PatchOutcome::kBound:
      return result.node == node ? NominationEvent::kFoundThere : NominationEvent::kFoundElsewhere;
    case PatchOutcome::kGone:
      return NominationEvent::kFoundGone;
    case PatchOutcome::kOverruled:
      return NominationEvent::kOverruled;
    case PatchOutcome::kRefused:
      return NominationEvent::kRejected;
    case PatchOutcome::kDenied:
      return NominationEvent::kDenied;
    case PatchOutcome::kUnknown:
      return node.empty() ? NominationEvent::kNotSent : NominationEvent::kUnclear;
  }
  return NominationEvent::kUnclear;
}

/// One write, patch by patch.
class Steps {
 public:
  Steps(const NominationWriting& writing, const NominationWrite& write, const std::stop_token& stop)
      : writing_(writing), write_(write), stop_(stop), pod_(write.pod) {
    result_.report = {.ticket = write.ticket, .event = NominationEvent::kNotSent};
  }

  WriteResult run() {
    const bool clears = write_.node.empty() && !write_.instead_of.empty();
    NominationWrite rest = write_;
    if (clears && !nominate("", write_.instead_of, rest)) return result_;

    if (clears) rest.instead_of.clear();
    if (!write_.node.empty() && !nominate(write_.node, rest.instead_of, rest)) return result_;
    if (!write_.gate.empty()) remove_gate();
    return result_;
  }

 private:
  /// @param rest  what is left to be done. @return whether the pod is as it is to be.
  bool nominate(const std::string& node, const std::string& instead_of, const NominationWrite& rest) {
    const auto patched = patch([&](live::Clock::Time deadline) {
      return writing_.pods.nominate(pod_, node, instead_of, deadline, stop_);
    });
    if (!patched) {
      const bool unclear = write_.unclear && !node.empty();
      result_.report.event = unclear ? NominationEvent::kUnclear : NominationEvent::kNotSent;
      return false;
    }
    if (!is_over(*patched)) try_again(rest, !node.empty());
    take(*patched, is_rejected(*patched) ? NominationEvent::kRejected : event_after(*patched, node));
    return patched->done();
  }

  void remove_gate() {
    const auto patched = patch([&](live::Clock::Time deadline) {
      return writing_.pods.remove_gate(pod_, write_.gate, deadline, stop_);
    });
    const bool removed = patched && patched->done();
    if (!write_.node.empty() && !removed) result_.report.gate_stays = true;
    // Without a nomination the gate is all that there is to report. With one, only what ends it.
    if (!patched) return;
    if (write_.node.empty() && !is_over(*patched)) try_again(gate_alone(), /*may_be_nominated=*/false);
    const bool tells = patched->done() ? write_.node.empty()
                                       : write_.node.empty() || patched->outcome == PatchOutcome::kBound ||
                                             patched->outcome == PatchOutcome::kGone;
    const NominationEvent event =
        is_rejected(*patched) ? NominationEvent::kRejected : event_after(*patched, write_.node);
    take(*patched, tells ? event : result_.report.event);
  }

  NominationWrite gate_alone() const {
    NominationWrite rest = write_;
    rest.instead_of.clear();
    return rest;
  }

  /// The outcome is known.
  bool is_over(const PatchResult& patched) const {
    return patched.outcome != PatchOutcome::kUnknown || is_rejected(patched);
  }
  /// Nothing is written, and nothing will be: servers fail this patch, as with a webhook that does not work.
  bool is_rejected(const PatchResult& patched) const {
    return patched.outcome == PatchOutcome::kUnknown && patched.unchanged && !write_.unclear;
  }

  void try_again(NominationWrite rest, bool may_be_nominated) {
    if (!goes_on()) return;
    rest.pod.resource_version.clear();  // The next try looks at the pod first.
    rest.unclear = rest.unclear || may_be_nominated;
    ++rest.tries;
    result_.again = std::move(rest);
  }

  bool goes_on() const {
    return !stop_.stop_requested() && writing_.leadership.term() == write_.term &&
           writing_.owner.is_wanted(write_.ticket);
  }

  /// @return nothing: Winnow does not lead, or not for long enough, and nothing was sent.
  template <class Patch>
  std::optional<PatchResult> patch(const Patch& patch) const {
    if (!goes_on()) return std::nullopt;
    const live::Clock::Time now = writing_.clock.now();
    const live::Clock::Time deadline = std::min(now + kForOnePatch, writing_.leadership.until());
    if (deadline <= now + live::PodWrite::kMargin) return std::nullopt;
    return patch(deadline);
  }

  void take(const PatchResult& patched, NominationEvent event) {
    result_.sent = true;
    result_.outcome = patched.outcome;
    if (!patched.error.empty()) result_.error = patched.error;
    result_.report.event = event;
    if (event == NominationEvent::kUnclear) result_.report.version = 0;
    if (patched.resource_version.empty()) return;
    pod_.resource_version = patched.resource_version;
    result_.report.version = to_number(patched.resource_version);
  }

  const NominationWriting& writing_;
  const NominationWrite& write_;
  const std::stop_token& stop_;
  live::PodIdentity pod_;
  WriteResult result_;
};

}  // namespace

WriteResult NominationWriting::carry_out(const NominationWrite& write, const std::stop_token& stop) const {
  return Steps(*this, write, stop).run();
}

NominationWriters::NominationWriters(const NominationWriting& writing) : writing_(writing) {
  for (std::size_t i = 0; i < kThreads; ++i)
    threads_.emplace_back([this](const std::stop_token& stop) { run(stop); });
}

NominationWriters::~NominationWriters() {
  for (std::jthread& thread : threads_) thread.request_stop();
  {
    const MutexLock lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
}

bool NominationWriters::has_room() const {
  const MutexLock lock(mutex_);
  return waiting_.size() < kWaiting;
}

void NominationWriters::add(NominationWrite write) {
  {
    const MutexLock lock(mutex_);
    waiting_.push_back({.write = std::move(write)});
  }
  changed_.notify_one();
}

void NominationWriters::run(const std::stop_token& stop) {
  for (;;) {
    Queue one = wait_for_one();
    if (one.empty()) return;
    const bool is_retry = one.front().write.tries > 0;
    const bool again = try_one(one.front().write, stop);
    if (is_retry) {
      const MutexLock lock(mutex_);
      --retrying_;
    }
    if (again) put_off(std::move(one));
  }
}

/// @param write  becomes what is left to be done. @return whether anything is.
bool NominationWriters::try_one(NominationWrite& write, const std::stop_token& stop) const {
  try {
    WriteResult result = writing_.carry_out(write, stop);
    writing_.owner.on_done(write, result);
    if (!result.again) return false;
    write = std::move(*result.again);
  } catch (const std::exception&) {  // Out of memory. Nobody knows how far it has come.
    write.pod.resource_version.clear();
    write.unclear = write.unclear || !write.node.empty();
    ++write.tries;
  }
  return true;
}

/// @return a queue of one; empty: the end.
NominationWriters::Queue NominationWriters::wait_for_one() {
  const MutexLock lock(mutex_);
  while (!ending_) {
    if (Queue one = take(); !one.empty()) return one;
    if (later_.empty())
      mutex_.wait(changed_);
    else
      mutex_.wait_until(changed_, writing_.clock.now() + kLookAtDue);
  }
  return {};
}

/// The next write: one that waits, or else one that is due to be tried again. Empty: none now.
NominationWriters::Queue NominationWriters::take() {
  Queue one;
  if (!waiting_.empty()) {
    one.splice(one.end(), waiting_, waiting_.begin());
    return one;
  }
  if (retrying_ >= kRetrying) return one;
  const live::Clock::Time now = writing_.clock.now();
  const std::uint64_t term = writing_.leadership.term();
  // One of an earlier term is not written any more: that is to be told at once.
  const auto due = std::ranges::find_if(
      later_, [&](const Queued& queued) { return queued.due <= now || queued.write.term != term; });
  if (due == later_.end()) return one;
  one.splice(one.end(), later_, due);
  ++retrying_;
  return one;
}

void NominationWriters::put_off(Queue&& one) {
  const unsigned doublings = std::min(one.front().write.tries - 1, 10u);
  one.front().due = writing_.clock.now() + std::min(kFirstPause * (1 << doublings), kLongestPause);
  {
    const MutexLock lock(mutex_);
    later_.splice(later_.end(), one);
  }
  changed_.notify_all();  // Those that wait without an end do not look at what is due.
}

}  // namespace winnow
