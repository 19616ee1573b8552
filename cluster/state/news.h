// What a picture's readers may wait for.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>

#include "cluster/mutex.h"

namespace winnow {

/// Counts what the watch tells. Thread-safe.
class News {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// Something is in the picture that was not there before, or is judged otherwise than before. Never with
  /// the picture's lock held.
  /// @param for_others  it may matter to a pod that waits, and kube-scheduler tries such a pod again for it:
  ///   everything does but news of a pod without a node or a nomination, which matter to that pod alone.
  void tell(bool for_others);

  struct Count {
    std::uint64_t all = 0;
    std::uint64_t for_others = 0;
  };
  Count count() const;
  /// Waits until there is more than `seen`, or until the time has come.
  void wait_beyond(Count seen, Time until) const;

 private:
  mutable Mutex mutex_;
  mutable std::condition_variable told_;
  Count count_ WINNOW_GUARDED_BY(mutex_);
};

}  // namespace winnow
