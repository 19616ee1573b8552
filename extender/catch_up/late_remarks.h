// The remark in a refusal that Winnow's watch may be late, and its rate limit.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "cluster/mutex.h"

namespace winnow {

/// A limit on the refusals that carry the remark. Thread-safe.
///
/// A refusal that may come from a picture that is too old says so, with the number of the attempt. Where a
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
