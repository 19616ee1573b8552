// The rate of log lines that others can cause.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

#include "cluster/mutex.h"

namespace winnow {

/// Limits lines of one kind: kAtOnce of them, and then one in each kEvery. After kEvery without any, the
/// count begins anew. Thread-safe.
class LogRate {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr unsigned kAtOnce = 10;
  static constexpr std::chrono::seconds kEvery{10};

  /// @return nothing if the line is to be left out; else the number of lines left out since the last one.
  std::optional<std::uint64_t> next(Time now) {
    const MutexLock lock(mutex_);
    if (now - last_ >= kEvery) written_ = 0;
    const bool may_write = written_ < kAtOnce;
    if (!may_write) {
      ++left_out_;
      return std::nullopt;
    }
    // One line a period follows a burst.
    written_ = left_out_ > 0 ? kAtOnce : written_ + 1;
    last_ = now;
    return std::exchange(left_out_, 0);
  }

 private:
  Mutex mutex_;
  Time last_ WINNOW_GUARDED_BY(mutex_){};  ///< Of the last line written.
  unsigned written_ WINNOW_GUARDED_BY(mutex_) = 0;
  std::uint64_t left_out_ WINNOW_GUARDED_BY(mutex_) = 0;
};

}  // namespace winnow
