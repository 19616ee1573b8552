// The command `winnow_live_seeds FIRST LAST`, which runs reflectors through seeded worlds: each seed with the
// first faults alone, and with all of them. It prints the violations of each seed, and at the end the totals.
// It exits with 1 if a seed fails. With a single seed it also prints every step.
#include <cstdio>
#include <cstdlib>

#include "tests/cluster/client/watch/live_seed.h"

namespace {

using namespace winnow::live;

/// The results of all seeds with the same faults.
struct Total {
  const char* name;
  Faults faults;
  SeedResult all = {};
  std::size_t failed = 0;
};

void run(std::uint64_t seed, bool tells, Total& total) {
  SeedResult result = run_seed(seed, total.faults);
  if (tells) std::printf("=== %s\n", total.name);
  if (tells)
    for (const std::string& line : result.story) std::puts(line.c_str());
  for (const std::string& text : result.violations)
    std::printf("seed %llu, %s: %s\n", static_cast<unsigned long long>(seed), total.name, text.c_str());
  std::fflush(stdout);
  if (!result.violations.empty()) ++total.failed;
  result.story.clear();
  result.violations.clear();
  total.all.add(result);
}

void print(const Total& total, std::uint64_t seeds) {
  const SeedResult& all = total.all;
  std::printf("%llu seeds, %s: %zu failed; %zu requests (at most %zu in a minute), %zu lists, %zu events\n",
              static_cast<unsigned long long>(seeds), total.name, total.failed, all.requests,
              all.most_in_a_minute, all.lists, all.events);
  std::printf("  %zu allocations failed, and %zu pictures were lost\n", all.failed_allocations,
              all.lost_caches);
  for (std::size_t i = 0; i < kWatchErrors; ++i)
    std::printf("  %-12s %zu\n", std::string(to_string(static_cast<WatchError>(i))).c_str(), all.troubles[i]);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::fputs("usage: winnow_live_seeds FIRST LAST\n", stderr);
    return 2;
  }
  const std::uint64_t first = std::strtoull(arguments[1], nullptr, 10);
  const std::uint64_t last = std::strtoull(arguments[2], nullptr, 10);
  Total totals[] = {{"the first faults", Faults::kFirst}, {"all faults", Faults::kAll}};
  for (std::uint64_t seed = first; seed <= last; ++seed)
    for (Total& total : totals) run(seed, first == last, total);
  for (const Total& total : totals) print(total, last - first + 1);
  return totals[0].failed + totals[1].failed == 0 ? 0 : 1;
}
