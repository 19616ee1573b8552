#include "cluster/client/servers/backoff.h"

#include <doctest/doctest.h>

#include <set>

#include "tests/cluster/client/watch/sim_clock.h"

namespace winnow::live {

using std::chrono::milliseconds;

TEST_CASE("waits are doubled from 0.8 s to 30 s, with as much again at random") {
  Backoff backoff(1);
  Clock::Time now = after(0);
  for (const int base : {800, 1600, 3200, 6400, 12'800, 25'600, 30'000, 30'000}) {
    const auto wait = backoff.next(now);
    CHECK(wait >= milliseconds(base));
    CHECK(wait < milliseconds(2 * base));
    now += wait;
  }
}

TEST_CASE("after two minutes in which nobody waited they begin anew") {
  Backoff backoff(1);
  Clock::Time now = after(0);
  for (int i = 0; i < 8; ++i) now += backoff.next(now);
  const auto soon = backoff.next(now + std::chrono::minutes(2));
  CHECK(soon >= Backoff::kCap);
  const auto later = backoff.next(now + std::chrono::minutes(2) + soon + std::chrono::seconds(121));
  CHECK(later < 2 * Backoff::kFirst);
}

TEST_CASE("regression: jitter is not ignored, clients do not come back together (kube-rs #1897)") {
  std::set<Clock::Duration> waits;
  for (std::uint64_t seed = 0; seed < 100; ++seed) waits.insert(Backoff(seed).next(after(0)));
  CHECK(waits.size() > 80);
}

}  // namespace winnow::live
