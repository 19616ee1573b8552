// Virtual time for the tests of reflectors.
//
// tests/cluster/client/watch has a simulated world for reflectors. fake_etcd.h is the history of changes.
// fake_api_server.h has the servers and their faults, behind the transport's interface. client_time.h has the
// client's own clock, which may jump. sink.h takes a reflector's objects and checks them, and real_picture.h
// puts them into a cache, too. live_seed.h makes a whole world from a seed. Everything runs in one thread.
// Only a wait moves the clock.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <vector>

#include "cluster/clock.h"

namespace winnow::live {

class SimClock final : public Clock {
 public:
  Time now() const override { return Time(Duration(now_.load())); }
  bool sleep(Duration duration, const std::stop_token& stop) override;

  /// Moves the time forward, and runs the scheduled functions on the way, each at its time.
  void advance_to(Time time);
  void advance(Duration duration) { advance_to(now() + duration); }
  void at(Time time, std::function<void()> what) { due_.emplace(time, std::move(what)); }

  std::vector<Duration> waits;  ///< The durations of all calls of sleep().

 private:
  std::atomic<Duration::rep> now_{0};
  std::multimap<Time, std::function<void()>> due_;
};

/// The time so many seconds after the beginning.
inline Clock::Time after(double seconds) {
  return Clock::Time(std::chrono::duration_cast<Clock::Duration>(std::chrono::duration<double>(seconds)));
}

}  // namespace winnow::live
