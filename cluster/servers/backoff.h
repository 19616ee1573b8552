// The waits before a list or watch is tried again.
#pragma once

#include <chrono>
#include <cstdint>
#include <random>

#include "cluster/clock.h"

namespace winnow::live {

/// client-go's back-off for reflectors (tools/cache/reflector.go v0.37.0). Waits begin with 0.8 s and double
/// up to 30 s. Up to as much again is added at random, so that many clients do not return together. After two
/// minutes without a wait it begins anew. One thread uses it.
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
