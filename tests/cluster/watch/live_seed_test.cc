#include "tests/cluster/watch/live_seed.h"

#include <doctest/doctest.h>

namespace winnow::live {

TEST_CASE("a seed repeats a run exactly") {
  for (const std::uint64_t seed : {1, 2, 3, 11, 12}) {
    const SeedResult first = run_seed(seed), second = run_seed(seed);
    CHECK(first.story == second.story);
    CHECK(first.story.size() > 100);
    CHECK(first.violations == std::vector<std::string>());
  }
  CHECK(run_seed(1).story != run_seed(2).story);
}

}  // namespace winnow::live
