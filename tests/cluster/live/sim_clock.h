// Virtual time for the tests of the live cluster.
//
// tests/cluster/live has a world to try reflectors in: fake_etcd.h is the history, fake_api_server.h the
// servers that tell it, with their faults, over the transport's interface; sink.h is where a reflector's
// objects go and checks them on the way; live_seed.h makes a whole world and its faults out of one number.
// All of it runs in one thread and in virtual time: who waits moves the clock, and nothing else does.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <vector>

#include "cluster/live/clock.h"

namespace winnow::live {

class SimClock final : public Clock {
 public:
  Time now() const override { return Time(Duration(now_.load())); }
  bool sleep(Duration duration, const std::stop_token& stop) override;

  /// Moves the time, and runs what was to be done by then, each at its time. Not backwards.
  void advance_to(Time time);
  void advance(Duration duration) { advance_to(now() + duration); }
  void at(Time time, std::function<void()> what) { due_.emplace(time, std::move(what)); }

  std::vector<Duration> waits;  ///< What sleep() was asked for.

 private:
  std::atomic<Duration::rep> now_{0};
  std::multimap<Time, std::function<void()>> due_;
};

/// Seconds from the beginning.
inline Clock::Time after(double seconds) {
  return Clock::Time(std::chrono::duration_cast<Clock::Duration>(std::chrono::duration<double>(seconds)));
}

}  // namespace winnow::live
