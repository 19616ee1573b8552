#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

#include "extender/explain/decisions_text.h"

namespace winnow::test {
namespace {

using Scores = std::vector<std::int64_t>;
using Shares = std::vector<RuleShare>;

std::int64_t total(const Scores& scores) {
  std::int64_t sum = 0;
  for (const std::int64_t score : scores) sum += score;
  return sum;
}

TEST_SUITE("decisions: the difference") {
  TEST_CASE("the smallest set of rules that decided") {
    struct Row {
      const char* sentence;
      Scores winner, loser;
      Shares shares;
    };
    const Row rows[] = {
        {"no rules", {}, {}, {}},
        {"a tie has no decider", {10, 5}, {5, 10}, {}},
        {"the loser has more: no rule decided for the winner", {10, 0}, {0, 50}, {}},
        {"one rule alone", {100}, {50}, {{0, 50}}},
        {"the one that is larger than the lead", {100, 60}, {50, 70}, {{0, 50}}},
        {"one is enough where others help", {100, 30, 20}, {50, 25, 20}, {{0, 50}, {1, 5}}},
        {"one is enough: without it the loser would have won", {100, 30, 0}, {50, 25, 20}, {{0, 50}}},
        {"without it the loser would have tied", {100, 0}, {50, 0}, {{0, 50}}},
        {"two, where neither suffices", {30, 30, 0}, {0, 0, 10}, {{0, 30}, {1, 30}}},
        {"the largest come first", {10, 40, 20}, {0, 0, 0}, {{1, 40}, {2, 20}, {0, 10}}},
        {"of equal ones the earlier", {20, 20, 20, 0}, {0, 0, 0, 40}, {{0, 20}}},
        {"negative scores", {-10, 0}, {-60, 10}, {{0, 50}}},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      CHECK(deciding_rules(row.winner, row.loser) == row.shares);
    }
  }

  TEST_CASE("what it says holds for all small scores: smaller sets do not decide") {
    for (int bits = 0; bits < 1 << 12; ++bits) {
      Scores winner, loser;
      for (int rule = 0; rule < 3; ++rule) {
        winner.push_back(bits >> (4 * rule) & 3);
        loser.push_back(bits >> (4 * rule + 2) & 3);
      }
      const Shares shares = deciding_rules(winner, loser);
      const std::int64_t lead = total(winner) - total(loser);
      // The best that any set of `taken` rules takes away.
      std::size_t smallest = lead > 0 ? 4 : 0;
      for (unsigned set = 0; set < 8 && lead > 0; ++set) {
        std::int64_t left = lead;
        std::size_t taken = 0;
        for (std::size_t rule = 0; rule < 3; ++rule)
          if (set >> rule & 1) {
            left -= winner[rule] - loser[rule];
            ++taken;
          }
        if (left <= 0) smallest = std::min(smallest, taken);
      }
      CAPTURE(bits);
      CHECK(shares.size() == smallest);
    }
  }

  TEST_CASE("the smallest set of changes that turns a choice") {
    struct Row {
      const char* sentence;
      std::int64_t lead;
      Scores changes;
      bool tie_suffices;
      Shares shares;
    };
    const Row rows[] = {
        {"a tie that is enough needs no change", 0, {5}, true, {}},
        {"a tie that is not needs one", 0, {5}, false, {{0, 5}}},
        {"the largest alone", 7, {3, 8, -20}, false, {{1, 8}}},
        {"as much as the lead is a tie", 8, {3, 8}, true, {{1, 8}}},
        {"and not more", 8, {3, 8}, false, {{1, 8}, {0, 3}}},
        {"the largest come first", 10, {4, 1, 6, 5}, false, {{2, 6}, {3, 5}}},
        {"of equal ones the earlier", 3, {4, 4}, false, {{0, 4}}},
        {"all, where they do not suffice", 100, {4, -1, 6}, false, {{2, 6}, {0, 4}}},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      CHECK(turning_rules(row.lead, row.changes, row.tie_suffices) == row.shares);
    }
  }

  TEST_CASE("numbers as large as they get do not trap") {
    constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
    constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
    CHECK(deciding_rules(Scores{kMost}, Scores{kLeast}).empty());  // Wraps, as the totals do.
    CHECK(deciding_rules(Scores{kMost, 0}, Scores{0, 0}) == Shares{{0, kMost}});
  }
}

}  // namespace
}  // namespace winnow::test
