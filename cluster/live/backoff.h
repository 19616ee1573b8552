// How long to wait before the next try.
#pragma once

#include <cstdint>
#include <random>

#include "cluster/live/clock.h"

namespace winnow::live {

/// client-go's for reflectors (tools/cache/reflector.go v0.37.0): 0.8 s, doubled up to 30 s, each with as
/// much again at random on top (so that many clients do not come back together); from the beginning after two
/// minutes in which nobody had to wait. For one thread.
class Backoff {
 public:
  static constexpr std::chrono::milliseconds kFirst{800};
  static constexpr std::chrono::milliseconds kCap{
      30'000};  ///< Without the random part: waits are below twice this.
  static constexpr std::chrono::minutes kReset{2};

  explicit Backoff(std::uint64_t seed) : random_(seed) {}

  /// The next wait, that begins now.
  Clock::Duration next(Clock::Time now);

 private:
  std::mt19937_64 random_;
  std::chrono::milliseconds base_ = kFirst;
  Clock::Time until_ = Clock::Time::min();  ///< The end of the last wait.
};

}  // namespace winnow::live
