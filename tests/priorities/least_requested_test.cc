#include <doctest/doctest.h>

#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test {

TEST_CASE("LeastRequestedPriority") {
  const Node a = node("a").cpu("4").memory("10000");
  const Node b = node("b").cpu("6").memory("10000");
  const Ranking rows[] = {
      {"nothing used: (4000*10/4000 + 10000*10/10000) / 2 = 10", pod("web"), {a}, {}, {{"a", 10}}},
      {"1000*10/4000 = 2, 5000*10/10000 = 5, 7/2 = 3; 3000*10/6000 = 5, 5",
       pod("web").cpu("3").memory("5000"),
       {a, b},
       {},
       {{"a", 3}, {"b", 5}}},
      {"just short of a step: 3600*10/4000 = 9; 3599*10/4000 = 8: (9+10)/2 = 9, (8+10)/2 = 9, (8+8)/2 = 8",
       pod("web").cpu("401m").memory("1001"),
       {a},
       {},
       {{"a", 8}}},
      {"on the step: (9+9)/2", pod("web").cpu("400m").memory("1000"), {a}, {}, {{"a", 9}}},
      {"with what the node's pods use: (4000-1000-1000)*10/4000 = 5, 10, 15/2 = 7",
       pod("web").cpu("1").memory("0"),
       {a},
       {pod("there").cpu("1").memory("0").on("a")},
       {{"a", 7}}},
      {"all of it: (0 + 10)/2", pod("web").cpu("4").memory("0"), {a}, {}, {{"a", 5}}},
      {"more than all of it is 0, not less: (0 + 10)/2",
       pod("web").cpu("400").memory("0"),
       {a},
       {},
       {{"a", 5}}},
      {"a node without cpu: (0 + 10)/2", pod("web").memory("0"), {node("a").memory("10000")}, {}, {{"a", 5}}},
      {"a node without anything", pod("web"), {node("a")}, {}, {{"a", 0}}},
      {"a container that names neither: 900*10/1000 = 9, (1000Mi-200Mi)*10/1000Mi = 8, 17/2 = 8",
       pod("web").container(),
       {node("a").cpu("1").memory("1000Mi")},
       {},
       {{"a", 8}}},
      {"so does each that is there: 800*10/1000 = 8, 600Mi*10/1000Mi = 6, 14/2 = 7",
       pod("web").container(),
       {node("a").cpu("1").memory("1000Mi")},
       {pod("there").container().on("a")},
       {{"a", 7}}},
      {"an explicit 0 is 0: (10 + 10)/2", pod("web").cpu("0").memory("0"), {a}, {}, {{"a", 10}}},
      {"an init container's peak: 2000*10/4000 = 5, 15/2 = 7",
       pod("web").cpu("1").memory("0").init().cpu("2").memory("0"),
       {a},
       {},
       {{"a", 7}}},
      {"overhead is not v1.16's: (10 + 10)/2",
       pod("web").cpu("0").memory("0").overhead("cpu", "4"),
       {a},
       {},
       {{"a", 10}}},
      {"a pod being deleted still counts: (0 + 10)/2",
       pod("web").memory("0").cpu("0"),
       {a},
       {pod("there").cpu("4").memory("0").deleting().on("a")},
       {{"a", 5}}},
  };
  check_scores("LeastRequestedPriority", rows);
  const Ranking today[] = {
      {"overhead is today's: (0 + 10)/2",
       pod("web").cpu("0").memory("0").overhead("cpu", "4"),
       {a},
       {},
       {{"a", 5}}},
      {"a sidecar runs beside: (4000-2000)*10/4000 = 5, 15/2 = 7",
       pod("web").cpu("1").memory("0").sidecar().cpu("1").memory("0"),
       {a},
       {},
       {{"a", 7}}},
  };
  check_scores("LeastRequestedPriority", today, kDefaults);
}

TEST_CASE("numbers that no node has do no harm") {
  for (const char* rule : {"LeastRequestedPriority", "MostRequestedPriority", "BalancedResourceAllocation"})
    for (const char* cpu : {"-1m", "-9223372036854775807", "9223372036854775807"})
      for (const char* asked :
           {"-922337203685477580", "-1m", "9223372036854775807", "-4611686018427387904m"}) {
        State state(kExact);
        state.set_node(node("a").cpu(cpu).memory(cpu));
        CHECK(score(rule, View(state), pod("web").cpu(asked).memory(asked)).scores.size() == 1);
      }
}

}  // namespace winnow::test
