#include "extender/engine/select.h"

#include <doctest/doctest.h>

#include <limits>

#include "extender/engine/engine.h"
#include "extender/engine/ruleset.h"

namespace winnow {
namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kSmallest = std::numeric_limits<std::int64_t>::min();

using Totals = std::vector<std::int64_t>;

Totals best(Totals totals) {
  Scored scored;
  scored.totals = std::move(totals);
  return scale_answers(scored, {}, ScoreScale::kBest);
}

/// Rows of scores, and the weight of each.
Totals mean(std::vector<std::pair<std::int64_t, Totals>> rows, Generation generation = Generation::kClassic) {
  RuleSet rules{.generation = generation};
  Scored scored;
  scored.totals = Totals(rows.front().second.size(), 0);
  Totals scores;
  for (const auto& [weight, row] : rows) {
    rules.priorities.push_back({"rule", nullptr, {}, weight, true});
    scores.insert(scores.end(), row.begin(), row.end());
  }
  scored.scores = ScoreTable(std::move(scores), scored.totals.size());
  return scale_answers(scored, rules, ScoreScale::kMean);
}

}  // namespace

TEST_CASE("best: from the lowest total to the highest") {
  struct Row {
    const char* sentence;
    Totals totals, answers;
  };
  const Row rows[] = {
      {"nothing asked, nothing answered", {}, {}},
      {"one node gets 10", {3}, {10}},
      {"all equal get 10", {7, 7, 7}, {10, 10, 10}},
      {"lowest 0, highest 10", {1000, 1001}, {0, 10}},
      {"only what ties for the best gets 10: 10*99/100 = 9", {0, 99, 100, 100}, {0, 9, 10, 10}},
      {"floor: 10*1/3 = 3, 10*2/3 = 6", {0, 1, 2, 3}, {0, 3, 6, 10}},
      {"below zero too: 10*5/15 = 3", {-10, -5, 5}, {0, 3, 10}},
      {"one below ten million of 10000-weighted totals", {100'000, 99'999, 0}, {10, 9, 0}},
      {"no range is too large: 10*(2^63-1+2^63-1)/(2^64-1) = 9",
       {kSmallest, kLargest - 1, kLargest},
       {0, 9, 10}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    CHECK(best(row.totals) == row.answers);
  }
}

TEST_CASE("mean: the weighted mean over the rules whose scores differ") {
  struct Row {
    const char* sentence;
    std::vector<std::pair<std::int64_t, Totals>> rows;
    Totals answers;
  };
  const Row rows[] = {
      {"one rule: its scores", {{1, {0, 4, 10}}}, {0, 4, 10}},
      {"(3+8)/2 = 5.5, up to 6; (2+2)/2 = 2", {{1, {3, 2}}, {1, {8, 2}}}, {6, 2}},
      {"(2*3+1*5)/3 = 3.67 to 4; (2*1+1*2)/3 = 1.33 to 1", {{2, {3, 1}}, {1, {5, 2}}}, {4, 1}},
      {"a constant rule cannot rank, however much it weighs", {{1, {2, 7}}, {10'000, {10, 10}}}, {2, 7}},
      {"one that differs and weighs 10000 rules: (7+100000)/10001 = 10; 7/10001 = 0",
       {{1, {7, 7, 6}}, {10'000, {10, 0, 0}}},
       {10, 0, 0}},
      {"no rule differs: all 10", {{1, {3, 3}}, {5, {0, 0}}}, {10, 10}},
      {"half up from below: (1*0+1*1)/2 = 0.5 to 1", {{1, {0, 2}}, {1, {1, 0}}}, {1, 1}},
      {"out of scale is cut", {{1, {-4, 25}}}, {0, 10}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    CHECK(mean(row.rows) == row.answers);
  }
}

TEST_CASE("mean: today's scores of 0 to 100 become answers of 0 to 10, rounded half up") {
  CHECK(mean({{1, {0, 4, 5, 94, 95, 100}}}, Generation::kToday) == Totals{0, 0, 1, 9, 10, 10});
  // (2*100 + 45)/3/10 = 8.2 and (2*0 + 55)/3/10 = 1.8
  CHECK(mean({{2, {100, 0}}, {1, {45, 55}}}, Generation::kToday) == Totals{8, 2});
}

TEST_CASE("the same seed and pod draw the same numbers, another pod or seed others") {
  const auto numbers = [](Draw draw) {
    std::vector<std::uint64_t> drawn;
    for (int i = 0; i < 8; ++i) drawn.push_back(draw.below(1000));
    return drawn;
  };
  CHECK(numbers(Draw(1, "a")) == numbers(Draw(1, "a")));
  CHECK(numbers(Draw(1, "a")) != numbers(Draw(2, "a")));
  CHECK(numbers(Draw(1, "a")) != numbers(Draw(1, "b")));
  Draw draw(1, "");
  for (int i = 0; i < 100; ++i) CHECK(draw.below(1) == 0);
}

TEST_CASE("the host is one of the best") {
  Draw draw(1, "pod");
  CHECK_FALSE(select_host({}, draw));
  CHECK(select_host(Totals{4}, draw) == 0);
  CHECK(select_host(Totals{1, 3, 2}, draw) == 1);
  CHECK(select_host(Totals{-5, kSmallest, -4}, draw) == 2);
  for (int i = 0; i < 50; ++i) {
    const auto host = select_host(Totals{5, 9, 3, 9, 1}, draw);
    CHECK((host == 1 || host == 3));
  }
}

TEST_CASE("a draw among the best is the same whatever the ranks of the others") {
  CHECK_FALSE(draw_best<std::int64_t>({}, Draw(1, "pod")));
  for (int pod = 0; pod < 100; ++pod) {
    const Draw draw(1, "pod-" + std::to_string(pod));
    const auto among = [&](const Totals& totals) { return draw_best<std::int64_t>(totals, draw); };
    const auto drawn = among({0, 0, 7, 0, 7, 7});
    CHECK(among({1, 2, 9, 3, 9, 9}) == drawn);
    CHECK(among({kSmallest, -1, 0, -1, 0, 0}) == drawn);
  }
}

TEST_CASE("a draw among equals is the same as one among all, with those that come before") {
  for (std::size_t before = 0; before < 5; ++before)
    for (std::size_t equals = 1; equals < 5; ++equals)
      for (int pod = 0; pod < 20; ++pod) {
        Draw draw(1, "pod-" + std::to_string(pod));
        const std::size_t drawn = draw_equal(before, equals, draw);
        Totals totals(before, 0);
        totals.insert(totals.end(), equals, 1);
        totals.push_back(0);
        CHECK(before + drawn == select_host(totals, draw));
      }
}

TEST_CASE("every one of the best has the same chance") {
  // 7 of 10 nodes tie; 7,000 draws: 1,000 each. Chi-square with 6 degrees of freedom is above 22.5 once in a
  // thousand times; the seeds are fixed.
  const Totals totals = {9, 1, 9, 9, 5, 9, 9, 0, 9, 9};
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    std::vector<double> hits(totals.size(), 0);
    for (int pod = 0; pod < 7000; ++pod) {
      Draw draw(seed, "pod-" + std::to_string(pod));
      hits[*select_host(totals, draw)] += 1;
    }
    double chi_square = 0;
    for (std::size_t i = 0; i < totals.size(); ++i) {
      if (totals[i] == 9)
        chi_square += (hits[i] - 1000) * (hits[i] - 1000) / 1000;
      else
        CHECK(hits[i] == 0);
    }
    CAPTURE(seed);
    CHECK(chi_square < 22.5);
  }
}

}  // namespace winnow
