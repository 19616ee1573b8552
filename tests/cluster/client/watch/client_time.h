// What the client's clock shows in a simulated world.
#pragma once

#include <vector>

#include "tests/cluster/client/watch/sim_clock.h"

namespace winnow::live {

/// The client's monotonic clock beside the world's time. It may jump forward, as a virtual machine's does,
/// and it stands still while the client's machine is suspended. It never goes back. It does not jump during a
/// suspension.
struct ClientTime {
  struct Jump {
    Clock::Time at;
    Clock::Duration by;
  };
  struct Suspension {
    Clock::Time from, to;  ///< Of the world. Meanwhile the client does nothing, and the world goes on.
  };
  std::vector<Jump> jumps;
  std::vector<Suspension> suspensions;

  bool is_plain() const { return jumps.empty() && suspensions.empty(); }
  /// What the client's clock shows at the world's time.
  Clock::Time shown(Clock::Time world) const;
  /// The world's time at which the client's clock has moved by `duration` since `now`, and the client runs.
  Clock::Time later(Clock::Time now, Clock::Duration duration) const;
  /// The world's time at which the client notices what happens at `world`.
  Clock::Time awake(Clock::Time world) const;

 private:
  /// The next time after `now` at which the clock jumps or the client falls asleep; Time::max(): none.
  Clock::Time next_change(Clock::Time now) const;
  Clock::Duration jumped_at(Clock::Time world) const;
};

/// The clock of the code under test.
class ClientClock final : public Clock {
 public:
  ClientClock(SimClock& world, const ClientTime& time) : world_(world), time_(time) {}
  Time now() const override { return time_.shown(world_.now()); }
  bool sleep(Duration duration, const std::stop_token& stop) override;

 private:
  SimClock& world_;
  const ClientTime& time_;
};

}  // namespace winnow::live
