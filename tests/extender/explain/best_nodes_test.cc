#include <doctest/doctest.h>

#include <string>

#include "extender/engine/ruleset.h"
#include "extender/explain/decision_record.h"

namespace winnow::test {
namespace {

TEST_SUITE("decisions: the best nodes") {
  TEST_CASE("the pick first, then by total") {
    struct Row {
      const char* sentence;
      std::vector<std::int64_t> totals;
      std::optional<std::size_t> picked;
      const char* nodes;
    };
    const Row rows[] = {
        {"no node", {}, {}, ""},
        {"one node", {5}, 0, "0"},
        {"two, the pick is the better", {5, 7}, 1, "10"},
        {"two, the pick is the worse", {5, 7}, 0, "01"},
        {"without a pick", {5, 9, 7, 8, 6}, {}, "132"},
        {"the pick is among the best", {5, 9, 7, 8, 6}, 3, "312"},
        {"the pick is not among the best", {5, 9, 7, 8, 6}, 0, "013"},
        {"of equals the earlier come first", {7, 7, 7, 7}, {}, "012"},
        {"of equals, with a pick", {7, 7, 7, 7}, 3, "301"},
        {"they rise", {1, 2, 3, 4, 5, 6}, {}, "543"},
        {"negative totals", {-3, -1, -2}, {}, "120"},
    };
    RuleSet rules;
    rules.priorities = {{"A", nullptr, {}, 2}};
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      std::vector<std::string> names;
      for (std::size_t i = 0; i < row.totals.size(); ++i) names.push_back(std::to_string(i));
      std::string nodes;
      const ScoreTable scores(row.totals, row.totals.size());
      for (const NodeTotal& best :
           best_nodes({.totals = row.totals,
                       .scores = scores,
                       .rules = rules,
                       .name_of = [&](std::size_t i) { return std::string_view(names[i]); }},
                      row.picked)) {
        nodes += best.node;
        const std::int64_t total = row.totals[std::stoul(best.node)];
        CHECK(best.total == total);
        CHECK(best.scores == std::vector<std::int64_t>{2 * total});
      }
      CHECK(nodes == row.nodes);
    }
  }

  TEST_CASE("of too many rules no scores are kept") {
    RuleSet rules;
    const std::vector<std::int64_t> totals = {1, 2};
    const ScoreTable scores(std::vector<std::int64_t>(2 * (kMostScoredRules + 1), 1), 2);
    for (std::size_t i = 0; i <= kMostScoredRules; ++i) rules.priorities.push_back({"A", nullptr});
    const auto best = best_nodes(
        {.totals = totals, .scores = scores, .rules = rules, .name_of = [](std::size_t) { return "n"; }}, {});
    REQUIRE(best.size() == 2);
    CHECK(best[0].total == 2);
    CHECK(best[0].scores.empty());
  }
}

}  // namespace
}  // namespace winnow::test
