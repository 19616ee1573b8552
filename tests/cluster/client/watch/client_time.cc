#include "tests/cluster/client/watch/client_time.h"

#include <algorithm>

namespace winnow::live {

Clock::Time ClientTime::shown(Clock::Time world) const {
  Clock::Time shown = world;
  for (const Jump& jump : jumps)
    if (jump.at <= world) shown += jump.by;
  for (const Suspension& suspension : suspensions)
    if (suspension.from < world) shown -= std::min(world, suspension.to) - suspension.from;
  return shown;
}

Clock::Time ClientTime::awake(Clock::Time world) const {
  for (const Suspension& suspension : suspensions)
    if (suspension.from <= world && world < suspension.to) return suspension.to;
  return world;
}

Clock::Time ClientTime::next_change(Clock::Time now) const {
  Clock::Time next = Clock::Time::max();
  for (const Jump& jump : jumps)
    if (jump.at > now) next = std::min(next, jump.at);
  for (const Suspension& suspension : suspensions)
    if (suspension.from > now) next = std::min(next, suspension.from);
  return next;
}

Clock::Duration ClientTime::jumped_at(Clock::Time world) const {
  Clock::Duration by{};
  for (const Jump& jump : jumps)
    if (jump.at == world) by += jump.by;
  return by;
}

Clock::Time ClientTime::later(Clock::Time now, Clock::Duration duration) const {
  for (now = awake(now);;) {
    const Clock::Time next = next_change(now);
    if (duration < next - now) return now + duration;
    duration -= next - now;
    now = next;
    duration -= std::min(duration, jumped_at(now));
    // A suspension that begins here ends before the rest passes.
    for (const Suspension& suspension : suspensions)
      if (suspension.from == now) now = suspension.to;
  }
}

bool ClientClock::sleep(Duration duration, const std::stop_token& stop) {
  if (time_.is_plain()) return world_.sleep(duration, stop);
  const Time now = world_.now();
  return world_.sleep(time_.later(now, duration) - now, stop);
}

}  // namespace winnow::live
