#include "extender/reuse/node_totals.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "tests/cluster/state/random_cluster.h"

namespace winnow::test {
namespace {

using Numbers = std::vector<std::int64_t>;

void check(const NodeTotals& totals, const Numbers& expected) {
  CHECK(std::ranges::equal(totals, expected));
  std::vector<std::size_t> best;
  if (!expected.empty()) {
    const std::int64_t highest = std::ranges::max(expected);
    CHECK(totals.highest() == highest);
    for (std::size_t place = 0; place < expected.size(); ++place)
      if (expected[place] == highest) best.push_back(place);
    CHECK(totals.first_of_highest() == best.front());
  }
  CHECK(totals.places_of_highest() == best);
}

}  // namespace

TEST_SUITE("node totals") {
  TEST_CASE("the best are those of all totals after any changes") {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      CAPTURE(seed);
      Draws draws(seed);
      const auto total = [&] { return static_cast<std::int64_t>(draws.below(1 + seed)) - 9; };
      Numbers expected;
      for (std::size_t count = draws.below(300); count > 0; --count) expected.push_back(total());
      NodeTotals totals(expected);
      check(totals, expected);
      totals.keep_highest();
      for (int step = 0; step < 100; ++step) {
        const NodeTotals before = totals;  // As an answer shares them.
        const Numbers were = expected;
        const std::size_t place = draws.below(expected.size() + 1);
        const auto at = expected.begin() + static_cast<std::ptrdiff_t>(place);
        if (place == expected.size() || draws.one_in(8)) {
          expected.insert(at, total());
          totals.insert(place, expected[place]);
        } else if (draws.one_in(7)) {
          expected.erase(at);
          totals.erase(place);
        } else {
          *at = total();
          totals.set(place, *at);
        }
        check(totals, expected);
        check(before, were);
      }
    }
  }
}

}  // namespace winnow::test
