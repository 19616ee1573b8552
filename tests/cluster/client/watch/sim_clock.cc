#include "tests/cluster/client/watch/sim_clock.h"

#include <algorithm>

#include "tests/failing_memory.h"

namespace winnow::live {

void SimClock::advance_to(Time time) {
  const test::TestCode own;
  while (!due_.empty() && due_.begin()->first <= time) {
    const auto node = due_.extract(due_.begin());
    now_ = std::max(now(), node.key()).time_since_epoch().count();
    node.mapped()();
  }
  now_ = std::max(now(), time).time_since_epoch().count();
}

bool SimClock::sleep(Duration duration, const std::stop_token& stop) {
  if (stop.stop_requested()) return false;
  const test::TestCode own;
  waits.push_back(duration);
  advance(duration);
  return !stop.stop_requested();
}

}  // namespace winnow::live
