// Time, as the live cluster's parts see it: injected, so that a test can run hours in a moment.
#pragma once

#include <chrono>
#include <stop_token>

namespace winnow::live {

/// Monotonic time and waiting. Thread-safe.
class Clock {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::steady_clock::duration;

  virtual ~Clock() = default;
  virtual Time now() const = 0;
  /// Waits. @return false: the wait was cut short because `stop` was requested.
  virtual bool sleep(Duration duration, const std::stop_token& stop) = 0;
};

/// The machine's own.
Clock& system_clock();

}  // namespace winnow::live
