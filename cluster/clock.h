// The clock of the live cluster's parts. It is injected, so that a test can run hours in a moment.
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
  /// Blocks for the duration. Never throws. @return false: `stop` was requested, and the wait ended early.
  virtual bool sleep(Duration duration, const std::stop_token& stop) = 0;
};

/// The clock of the machine.
Clock& system_clock();

}  // namespace winnow::live
