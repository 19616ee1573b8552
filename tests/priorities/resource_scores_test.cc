#include <doctest/doctest.h>

#include "priorities/resources.h"
#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test {
namespace {

const Node kNode = node("n").cpu("4").memory("10000").offers("example.com/gpu", "8");

Ranking row(std::string sentence, const Pod& pod, std::int64_t score) {
  return {std::move(sentence), pod, {kNode}, {}, {{"n", score}}};
}

}  // namespace

TEST_CASE("NodeResourcesLeastAllocated and MostAllocated: what stays free, what is used") {
  const Pod asks = pod("web").cpu("3").memory("5010");
  const Ranking least[] = {row("(25 + 49)/2", asks, 37)};
  check_plugin_scores("NodeResourcesLeastAllocated", least);
  const Ranking most[] = {row("(75 + 50)/2", asks, 62)};
  check_plugin_scores("NodeResourcesMostAllocated", most);
  const Ranking weighed[] = {row("of two weights of cpu the last counts: (3*75 + 50)/4", asks, 68)};
  check_plugin_scores("NodeResourcesMostAllocated", weighed,
                      ResourceScoreArgs{{{"cpu", 9}, {"memory", 1}, {"cpu", 3}}, {}});
  const Ranking scalar[] = {row("a scalar resource that nobody asks for is left out", asks, 75)};
  check_plugin_scores("NodeResourcesMostAllocated", scalar,
                      ResourceScoreArgs{{{"cpu", 1}, {"example.com/gpu", 1}}, {}});
}

TEST_CASE("NodeResourcesMostAllocated: the overhead's cpu is added in whole units to thousandths") {
  const Ranking rows[] = {row("2000 and 2 of 4000", pod("web").cpu("2").overhead("cpu", "2"), 50),
                          row("an init container counts as the largest alone",
                              pod("web").cpu("1").init("i").cpu("2").container("c").cpu("500m"), 50)};
  check_plugin_scores("NodeResourcesMostAllocated", rows, ResourceScoreArgs{{{"cpu", 1}}, {}});
}

TEST_CASE("RequestedToCapacityRatio: the score off a shape, at the share that is used") {
  const Ranking rows[] = {row("at 75: 10*7.5, truncated to 75; at 50: 50; their mean, rounded",
                              pod("web").cpu("3").memory("5010"), 63)};
  check_plugin_scores("RequestedToCapacityRatio", rows,
                      ResourceScoreArgs{{{"cpu", 1}, {"memory", 1}}, {{0, 0}, {100, 10}}});
}

}  // namespace winnow::test
