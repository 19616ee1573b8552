// When a waiting pod is tried again: pauses, back-off, and pods that are expensive to judge.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

// Pure functions over times that are given.
namespace winnow {

enum class NominationEvent : std::uint8_t;
struct Nomination;
struct PodFacts;

}  // namespace winnow

namespace winnow::retry {

using Time = std::chrono::steady_clock::time_point;

/// The pause before a gate that could not be removed is tried again, and before a denied write is.
inline constexpr std::chrono::seconds kPause{10};
/// The longest pause between nominations that come to nothing. It begins at none, then 1 s, and doubles.
inline constexpr std::chrono::seconds kLongestPause{300};
/// The first pause of a pod that was passed over. Whatever keeps it out of kube-scheduler's queue may stay.
inline constexpr std::chrono::seconds kPassedOverPause{16};
/// A pod that takes too long to be judged is not looked at for so long. It may be cheaper then, with fewer
/// nodes or pods.
inline constexpr std::chrono::seconds kExpensivePodPause{300};
/// A pod that kube-scheduler has given up keeps its place for so long if it is not tried again. In
/// kube-scheduler's back-off, which takes up to 10 s, nothing is kept for it either.
inline constexpr std::chrono::milliseconds kUnfollowed{1500};
/// The same for a nomination that is written while kube-scheduler's back-off goes on, of up to 10 s.
inline constexpr std::chrono::milliseconds kUnfollowedInBackOff{11'500};
/// A pod whose nomination was doubted, and is trusted, is not doubted again for so long.
inline constexpr std::chrono::seconds kTrusted{1};

/// What the retries of one pod depend on. A time that was never noted is Time().
struct History {
  unsigned misses = 0;     ///< Nominations in a row that came to nothing. Denied ones do not count.
  Time not_before{};       ///< The end of the pause before its next nomination.
  Time nominated_since{};  ///< When its nomination began to stand.
  Time refused_at{};       ///< The last event that told of a new refusal.
  Time trusted_until{};    ///< Its nomination is not doubted before.
  Time ungate_at{};        ///< The gate of a pod that is left to others is not removed before.
  Time aside_until{};      ///< The end of the time for which it is not looked at.
};

/// The history after a nomination that has come to nothing: with the pause before the next one.
/// @param stood  whether the nomination stood until then. One that stood for long is no miss in a row.
/// @param on  by which event.
History after_miss(const History& history, bool stood, NominationEvent on, Time now);

/// The history of a pod that has changed: it is as a new one.
History after_change(const History& history);

/// When the nomination is to be doubted for what its own pod tells: its gate is still there, or
/// kube-scheduler has given it up. Time::max(): never.
/// @param gate  Winnow's own; "": none.
/// @param unfollowed  how long a pod that was given up keeps its place.
Time doubt_time(const Nomination& nomination, const PodFacts& facts, const History& history,
                std::string_view gate, std::chrono::milliseconds unfollowed = kUnfollowed);

}  // namespace winnow::retry
