// News: a counter of the picture's changes, which calls can wait for.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>

#include "cluster/mutex.h"

namespace winnow {

/// The counts of changes that may alter an answer. They come from the watch, from assumed pods that leave a
/// node, and from a replaced serving. Thread-safe.
class News {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// Counts one change and wakes the waiting threads. A change is a new or changed object in the picture, or
  /// a new way to judge it. The caller must not hold the picture's lock.
  /// @param for_others  whether the change may let another waiting pod fit; kube-scheduler retries such pods
  ///   for it. False only for a pod without a node or a nomination: it matters to that pod alone.
  void tell(bool for_others);

  /// `all` counts every change, `for_others` those told with for_others.
  struct Count {
    std::uint64_t all = 0;
    std::uint64_t for_others = 0;
  };
  Count count() const;
  /// Waits until `all` is above that of `seen`, or until the time.
  void wait_beyond(Count seen, Time until) const;

 private:
  mutable Mutex mutex_;
  mutable std::condition_variable told_;
  Count count_ WINNOW_GUARDED_BY(mutex_);
};

}  // namespace winnow
