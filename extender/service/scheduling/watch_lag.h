// The delay of the watch, the time for which a refusal is held because of it, and the remark about it.
//
// kube-scheduler tries a waiting pod again within a millisecond of an event that may help it. Winnow's watch
// shows the same event a moment later, and the pod is not tried again for minutes. So the answer "no node
// fits" is held until the watch has caught up. The usual delay of the watch is learned from calls that were
// ahead of it.
//
// A hold has a cost: kube-scheduler's scheduling cycle waits, and so does the next pod in its queue. A call
// that follows at once shows that a pod was waiting. The time that such pods waited in vain is taken from a
// budget, which grows by a small share of the time that passes. Half of the budget is reserved for refusals
// with a sign (refusal_hold.h).
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "cluster/mutex.h"

namespace winnow {

/// The limits of a hold. A refusal with a sign is held for at most `catch_up`. One without a sign is held for
/// half as long again as the watch is usually late. Holds in vain for which another pod has waited may
/// take kShare of the time. The budget holds at most kSaved, or `catch_up` if that is longer. Thread-safe.
class WatchLagEstimator {
 public:
  using Clock = std::chrono::steady_clock;
  using Time = Clock::time_point;
  using Duration = Clock::duration;

  /// The part of the time by which the budget grows.
  static constexpr double kShare = 0.03;
  /// The most that the budget holds, if `catch_up` is not longer.
  static constexpr Duration kSaved = std::chrono::milliseconds(400);
  /// A call within this time of the last answer was waiting for that answer.
  static constexpr Duration kAtOnce = std::chrono::milliseconds(100);
  /// The time for which is_too_late() is true after later_than_catch_up().
  static constexpr Duration kTooLate = std::chrono::seconds(10);
  /// The delay of the watch that is assumed before one was measured.
  static constexpr Duration kFirstGuess = std::chrono::milliseconds(5);

  /// @param catch_up  the longest hold; 0: refusals are never held.
  WatchLagEstimator(Duration catch_up, Time now);

  bool is_on() const { return catch_up_ > Duration::zero(); }

  /// A reason to believe that kube-scheduler knows more than the cache.
  enum class Sign : std::uint8_t {
    kNoSign,
    kAskedAgain,  ///< It asks again, with no event since the last refusal.
    kAhead,       ///< Its call has something that the watch has not shown yet.
  };
  /// Notes the arrival of a call about a pod. Takes the last hold from the budget, if this call waited for
  /// it.
  void called(std::string_view pod, Time now);
  struct Until {
    Time wanted;   ///< The end of the hold that the refusal is worth.
    Time allowed;  ///< The same, or earlier where the budget is too small.
  };
  /// The end of a hold. @param asked  when the call arrived.
  /// @param seen_late  for this call: how late something came that kube-scheduler must have known.
  Until hold_until(Sign sign, Time asked, Time now, Duration seen_late = Duration::zero());
  /// Notes a hold of that length. @param in_vain  the pod was refused all the same.
  void held(std::string_view pod, Duration lasted, bool in_vain, Time now);
  /// Notes that the watch has shown something so long after kube-scheduler knew it.
  void late_by(Duration lateness);
  /// Notes that the watch has not shown within `catch_up` what kube-scheduler knew.
  void later_than_catch_up(Time now);
  /// Notes that the watch has shown it in time.
  void in_time();
  /// The usual delay of the watch.
  Duration lateness() const;
  /// Whether the watch was later than `catch_up` within the last kTooLate, and not in time since.
  bool is_too_late(Time now) const;

 private:
  /// Adds to the budget for the time since the last call.
  void save(Time now) WINNOW_REQUIRES(mutex_);

  const Duration catch_up_;
  const Duration ahead_;  ///< The most that the budget holds.
  mutable Mutex mutex_;
  Duration late_ WINNOW_GUARDED_BY(mutex_) = kFirstGuess;
  Time too_late_until_ WINNOW_GUARDED_BY(mutex_){};
  /// The budget. Below 0 after a hold that was longer than it.
  Duration saved_ WINNOW_GUARDED_BY(mutex_) = ahead_;
  Time paid_ WINNOW_GUARDED_BY(mutex_);  ///< Up to when the share is in `saved_`.
  // The last call that was held in vain.
  std::string last_pod_ WINNOW_GUARDED_BY(mutex_);
  Duration last_held_ WINNOW_GUARDED_BY(mutex_){0};  ///< 0 once it is known whether a call waited for it.
  Time last_end_ WINNOW_GUARDED_BY(mutex_){};
};

// The remark in a refusal that Winnow's watch may be late, and its rate limit.

/// A limit on the refusals that carry the remark. Thread-safe.
///
/// A refusal that may come from a cache that is too old says so, with the number of the attempt. Where a
/// place is held for another pod, it names that place instead.
/// kube-scheduler writes the text into the pod's condition. It tries a pod that an extender has refused again
/// when the pod changes (Update of pkg/scheduler/backend/queue/scheduling_queue.go, v1.37.0). Without the
/// remark the pod would be tried again at the next event, or after five minutes.
///
/// Each remark costs kube-scheduler a write and an attempt, and the same again when the text is plain again.
/// A queue of pods that fit nowhere would keep it busy. So remarks are limited, by a token bucket.
class LateRemarks {
 public:
  using Time = std::chrono::steady_clock::time_point;
  // Remarks a second, and the most at once.
  static constexpr double kPerSecond = 1;
  static constexpr double kAtOnce = 10;

  /// Whether one more refusal may carry the remark. It is counted if so.
  /// @param has_sign  whether there is a sign that kube-scheduler knows more. Half of kAtOnce is reserved for
  ///   these.
  bool may_tell(bool has_sign, Time now);
  /// The number of remarks so far.
  std::uint64_t told() const;

  /// The text that is appended to each reason of such a refusal.
  /// @param held  the place that is held for another pod, and that this one would fit on; "": there is none.
  static std::string remark(std::uint64_t attempt, std::string_view held = {});

 private:
  mutable Mutex mutex_;
  double left_ WINNOW_GUARDED_BY(mutex_) = kAtOnce;
  Time counted_ WINNOW_GUARDED_BY(mutex_){};
  std::uint64_t told_ WINNOW_GUARDED_BY(mutex_) = 0;
};

}  // namespace winnow
