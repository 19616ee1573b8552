// How long a refusal is held back, so that it is not told from an older picture than the caller's.
//
// kube-scheduler tries a waiting pod again within a millisecond of the event that may help it. Winnow's watch
// shows the same event a moment later, and nobody asks again for minutes. So "no node fits" is held back
// until the watch has caught up. How late the watch is, is learned from calls that were ahead of it.
//
// A hold has a price: kube-scheduler's cycle waits, and so does the next pod in its queue. Whether there was
// one shows afterwards, by a call that follows at once. What such pods have waited for in vain is paid from a
// purse, which fills by a small share of the time. Half of the purse is kept for refusals with a sign (see
// hold.h).
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "cluster/mutex.h"

namespace winnow {

/// A refusal with a sign is held for at most `catch_up`, one without as long as the watch is usually late.
/// Holds in vain that another pod has waited for take kShare of the time, and kSaved ahead, or what a whole
/// hold takes where that is more. Thread-safe.
class Recency {
 public:
  using Clock = std::chrono::steady_clock;
  using Time = Clock::time_point;
  using Duration = Clock::duration;

  static constexpr double kShare = 0.03;
  static constexpr Duration kSaved = std::chrono::milliseconds(400);
  /// A call that comes within this time of the answer before was waiting for it.
  static constexpr Duration kAtOnce = std::chrono::milliseconds(100);
  static constexpr Duration kTooLate = std::chrono::seconds(10);
  /// Until the watch was seen to be late.
  static constexpr Duration kFirstGuess = std::chrono::milliseconds(5);

  /// @param catch_up  0: nothing is ever held.
  Recency(Duration catch_up, Time now);

  bool is_on() const { return catch_up_ > Duration::zero(); }

  /// Why the caller may know more than the picture.
  enum class Sign : std::uint8_t {
    kNoSign,
    kAskedAgain,  ///< It asks again, and nothing has happened since the refusal before.
    kAhead,       ///< It has shown something that the watch has not told of yet.
  };
  /// A call about a pod has come.
  void called(std::string_view pod, Time now);
  struct Until {
    Time wanted;   ///< So long a refusal is worth holding.
    Time allowed;  ///< The same, or as much of it as is saved.
  };
  /// Until when to hold a refusal of a call. @param asked  when the call came.
  /// @param seen_late  how late something that the caller must have known was, for this very call.
  Until hold_until(Sign sign, Time asked, Time now, Duration seen_late = Duration::zero());
  /// A call about a pod was held for so long. In vain: it was refused all the same.
  void held(std::string_view pod, Duration lasted, bool in_vain, Time now);
  /// The watch has told of something so long after the caller knew it.
  void late_by(Duration lateness);
  /// In all of `catch_up` the watch has not told of something that the caller had shown.
  void later_than_catch_up(Time now);
  /// It has told of it in time.
  void in_time();
  /// How late the watch usually is.
  Duration lateness() const;
  /// The watch was later than `catch_up` in the last kTooLate, and never in time since.
  bool is_too_late(Time now) const;

 private:
  void save(Time now) WINNOW_REQUIRES(mutex_);

  const Duration catch_up_;
  const Duration ahead_;  ///< The most that is saved.
  mutable Mutex mutex_;
  Duration late_ WINNOW_GUARDED_BY(mutex_) = kFirstGuess;
  Time too_late_until_ WINNOW_GUARDED_BY(mutex_){};
  Duration saved_ WINNOW_GUARDED_BY(mutex_) =
      ahead_;                            ///< What may be held in vain; below 0 after a hold that was longer.
  Time paid_ WINNOW_GUARDED_BY(mutex_);  ///< Up to when the share is in `saved_`.
  // The last call that was held in vain.
  std::string last_pod_ WINNOW_GUARDED_BY(mutex_);
  Duration last_held_ WINNOW_GUARDED_BY(mutex_){0};  ///< 0 once it is settled whether somebody waited for it.
  Time last_end_ WINNOW_GUARDED_BY(mutex_){};
};

}  // namespace winnow
