// The command `winnow_live_seeds FIRST LAST`, which runs reflectors through seeded worlds. It prints the
// violations of each seed, and at the end the totals of all. It exits with 1 if a seed fails. With a single
// seed it also prints every step.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "tests/cluster/watch/live_seed.h"

int main(int count, char** arguments) {
  using namespace winnow::live;
  if (count != 3) {
    std::fputs("usage: winnow_live_seeds FIRST LAST\n", stderr);
    return 2;
  }
  const std::uint64_t first = std::strtoull(arguments[1], nullptr, 10);
  const std::uint64_t last = std::strtoull(arguments[2], nullptr, 10);
  SeedResult all;
  std::size_t failed = 0;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    const SeedResult result = run_seed(seed);
    if (!result.violations.empty()) ++failed;
    if (first == last)
      for (const std::string& line : result.story) std::puts(line.c_str());
    for (const std::string& text : result.violations)
      std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), text.c_str());
    all.requests += result.requests;
    all.events += result.events;
    all.lists += result.lists;
    all.most_in_a_minute = std::max(all.most_in_a_minute, result.most_in_a_minute);
    for (std::size_t i = 0; i < kWatchErrors; ++i) all.troubles[i] += result.troubles[i];
  }
  std::printf("%llu seeds, %zu failed; %zu requests (at most %zu in a minute), %zu lists, %zu events\n",
              static_cast<unsigned long long>(last - first + 1), failed, all.requests, all.most_in_a_minute,
              all.lists, all.events);
  for (std::size_t i = 0; i < kWatchErrors; ++i)
    std::printf("  %-12s %zu\n", std::string(to_string(static_cast<WatchError>(i))).c_str(), all.troubles[i]);
  return failed == 0 ? 0 : 1;
}
