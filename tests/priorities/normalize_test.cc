#include <doctest/doctest.h>

#include "priorities/rules.h"

namespace winnow::priorities::normalize_test {

TEST_CASE("scores are stretched so that the largest becomes the most") {
  struct Row {
    const char* sentence;
    std::vector<std::int64_t> scores, straight, reversed;
  };
  const Row rows[] = {
      {"nothing", {}, {}, {}},
      {"all 0", {0, 0}, {0, 0}, {10, 10}},
      {"all equal", {3, 3}, {10, 10}, {0, 0}},
      {"10*1/3 = 3, and 10 - 3 = 7", {1, 2, 3, 0}, {3, 6, 10, 0}, {7, 4, 0, 10}},
      {"10*99/100 = 9", {99, 100}, {9, 10}, {1, 0}},
      {"below the most already", {1}, {10}, {0}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    std::vector<std::int64_t> scores = row.scores;
    normalize(scores, 10, /*reversed=*/false);
    CHECK(scores == row.straight);
    scores = row.scores;
    normalize(scores, 10, /*reversed=*/true);
    CHECK(scores == row.reversed);
  }
}

}  // namespace winnow::priorities::normalize_test
