#include <doctest/doctest.h>

#include "priorities/resources.h"
#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test::node_resources_balanced_allocation_test {
namespace {

constexpr const char* kBalanced = "NodeResourcesBalancedAllocation";
const Node kNode = node("n").cpu("4").memory("10000");

}  // namespace

TEST_CASE("NodeResourcesBalancedAllocation: 50 + (50 + with - without)/2") {
  const Ranking rows[] = {
      {"even before and after: 50 + (50+100-100)/2",
       pod("web").cpu("2").memory("5000"),
       {kNode},
       {},
       {{"n", 75}}},
      {"75 % and 50 %: int((1-0.125)*100) = 87: 50 + (50-13)/2",
       pod("web").cpu("3").memory("5000"),
       {kNode},
       {},
       {{"n", 68}}},
      {"it evens out: 75 against 100, 50 + (50+25)/2",
       pod("web").cpu("0").memory("5000"),
       {kNode},
       {pod("there").cpu("2").memory("0").on("n")},
       {{"n", 87}}},
      {"a share is 1 at most: |1-0|/2: 50, 50 + (50-50)/2",
       pod("web").cpu("400").memory("0"),
       {kNode},
       {},
       {{"n", 50}}},
      {"one resource has no deviation", pod("web").cpu("3"), {node("n").cpu("4")}, {}, {{"n", 75}}},
      {"nor has none", pod("web").cpu("3"), {node("n")}, {}, {{"n", 75}}},
      {"no defaults: cpu alone, 25 % and 0 %: 87", pod("web").cpu("1").container(), {kNode}, {}, {{"n", 68}}},
      {"what runs there has none either",
       pod("web").cpu("2").memory("5000"),
       {kNode},
       {pod("there").container().on("n")},
       {{"n", 75}}},
      {"what it asks as a whole counts: 50 % and 50 %",
       pod("web").cpu("1").pod_level("cpu", "2").pod_level("memory", "5000"),
       {kNode},
       {},
       {{"n", 75}}},
      {"the balance is truncated: 1/3 of 10000 = 3333: 1-(0.25-0.3333)/2 = 95.8: 95",
       pod("web").cpu("1").memory("3333"),
       {kNode},
       {},
       {{"n", 72}}},
  };
  check_plugin_scores(kBalanced, rows);
}

TEST_CASE("NodeResourcesBalancedAllocation of other resources") {
  BalancedAllocationArgs args;
  args.resources = {{"cpu", 1}, {"memory", 1}, {"example.com/gpu", 1}, {"widgets", 1}};
  const Node with_gpu = node("n").cpu("4").memory("10000").offers("example.com/gpu", "4");
  const Ranking rows[] = {
      // Mean 0.5, deviations 0.25, 0.25, 0: sqrt(0.125/3) = 0.2041: 79; before it all 0: 100.
      {"three: the standard deviation",
       pod("web").cpu("1").memory("7500").asks("example.com/gpu", "2"),
       {with_gpu},
       {},
       {{"n", 64}}},
      {"a gpu that is not asked for does not count: 0.25 and 0.75",
       pod("web").cpu("1").memory("7500"),
       {with_gpu},
       {pod("there").asks("example.com/gpu", "4").on("n")},
       {{"n", 62}}},
      {"nor one that the node lacks",
       pod("web").cpu("1").memory("7500").asks("example.com/gpu", "2"),
       {kNode},
       {},
       {{"n", 62}}},
      {"a name that no node accounts for is asked for, and does not count",
       pod("web").asks("widgets", "1"),
       {with_gpu},
       {},
       {{"n", 75}}},
  };
  check_plugin_scores(kBalanced, rows, args);
}

TEST_CASE("NodeResourcesBalancedAllocation skips a pod that asks for none of the resources") {
  State state(kPlugins);
  state.set_node(kNode);
  const auto skips = [&](const Pod& pod) { return score(kBalanced, View(state), pod).skipped; };
  CHECK(skips(pod("web")));
  CHECK(skips(pod("web").container()));
  CHECK(skips(pod("web").cpu("0").memory("0").asks("example.com/gpu", "1")));
  CHECK_FALSE(skips(pod("web").cpu("1m")));
  CHECK_FALSE(skips(pod("web").overhead("memory", "1")));
  Pod resized = pod("web").container("c").cpu("1");
  resized.status.conditions = {{"PodResizePending", "True", "Infeasible"}};
  resized.status.container_statuses.emplace_back().name = "c";
  CHECK(skips(resized));  // An infeasible resize: the spec does not count, and nothing is allocated.
  resized.status.container_statuses[0].allocated_resources = ResourceList{{"cpu", quantity("1")}};
  CHECK_FALSE(skips(resized));
}

}  // namespace winnow::test::node_resources_balanced_allocation_test
