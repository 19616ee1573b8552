#include "extender/nominate/retry_policy.h"

#include <algorithm>

#include "extender/nominate/nomination.h"
#include "extender/nominate/pod_facts.h"

namespace winnow::retry {
namespace {

using std::chrono::seconds;

/// None, 1 s, 2 s, 4 s … @param before  the misses in a row before this one.
seconds doubled_pause(unsigned before) { return seconds(before == 0 ? 0 : 1 << std::min(before - 1, 9u)); }

seconds pause_after(NominationEvent on, unsigned before) {
  if (on == NominationEvent::kPassedOver) return kPassedOverPause * (1 << std::min(before, 9u));
  // After a refusal kube-scheduler does not try the pod for a second. One that it does not follow, it tries
  // again because the nomination goes.
  const bool rests = on == NominationEvent::kRefused || on == NominationEvent::kUnfollowed;
  return rests ? std::max(doubled_pause(before), seconds(1)) : doubled_pause(before);
}

}  // namespace

History after_miss(const History& history, bool stood, NominationEvent on, Time now) {
  History after = history;
  // The right may come at any time. A denial is reported for longer than this: see Denials.
  if (on == NominationEvent::kDenied || on == NominationEvent::kGateStays) {
    after.not_before = now + kPause;
    return after;
  }
  if (stood && now - history.nominated_since > kLongestPause) after.misses = 0;
  const unsigned before = after.misses++;
  after.not_before = now + std::min(pause_after(on, before), kLongestPause);
  return after;
}

History after_change(const History& history) {
  History after = history;
  after.misses = 0;
  after.not_before = {};
  return after;
}

Time doubt_time(const Nomination& nomination, const PodFacts& facts, const History& history,
                std::string_view gate, std::chrono::milliseconds unfollowed) {
  const Time since = history.nominated_since;
  if (!nomination.is_shown(facts)) return Time::max();
  if (nomination.has_gate_still(facts, gate)) return nomination.gate_stays ? since + kUnfollowed : since;
  if (!facts.refused || !facts.gates.empty()) return Time::max();
  return std::max(std::max(since, history.refused_at) + unfollowed, history.trusted_until);
}

}  // namespace winnow::retry
