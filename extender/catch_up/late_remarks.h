// Refusals whose text has kube-scheduler ask again.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "cluster/mutex.h"

namespace winnow {

/// A refusal that may be one of too old a picture says so, with the number of the attempt. kube-scheduler
/// writes the text into the pod's condition, and tries a pod that an extender has refused again when the pod
/// changes (pkg/scheduler/backend/queue/scheduling_queue.go Update, v1.37.0). Without it nobody asks again
/// before the next event, or for five minutes.
///
/// Each such answer costs kube-scheduler a write and an attempt, and once more when the text is plain again.
/// So few are told. A queue of pods that fit nowhere would otherwise keep it busy. Thread-safe.
class LateRemarks {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr double kPerSecond = 1;
  static constexpr double kAtOnce = 10;

  /// Whether one more may be told, which is counted then.
  /// @param has_sign  something says that the caller knows more. Half of those at once are kept for these.
  bool may_tell(bool has_sign, Time now);
  std::uint64_t told() const;

  /// What stands behind each reason of such a refusal.
  static std::string remark(std::uint64_t attempt);

 private:
  mutable Mutex mutex_;
  double left_ WINNOW_GUARDED_BY(mutex_) = kAtOnce;
  Time counted_ WINNOW_GUARDED_BY(mutex_){};
  std::uint64_t told_ WINNOW_GUARDED_BY(mutex_) = 0;
};

}  // namespace winnow
