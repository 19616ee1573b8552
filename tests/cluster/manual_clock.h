// A clock that a test moves.
#pragma once

#include <atomic>

#include "cluster/clock.h"

namespace winnow::live::test {

/// Begins well after zero. A sleep moves it and returns at once.
class ManualClock final : public Clock {
 public:
  Time now() const override { return Time(since_.load()); }
  bool sleep(Duration duration, const std::stop_token& stop) override {
    if (stop.stop_requested()) return false;
    advance(duration);
    return true;
  }
  void advance(Duration duration) { since_ = since_.load() + duration; }

 private:
  std::atomic<Duration> since_ = Duration(std::chrono::hours(100));
};

}  // namespace winnow::live::test
