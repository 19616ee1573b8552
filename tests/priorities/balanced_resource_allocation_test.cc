#include <doctest/doctest.h>

#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test {

TEST_CASE("BalancedResourceAllocation") {
  const Node a = node("a").cpu("4").memory("10000");
  const Node b = node("b").cpu("6").memory("10000");
  const Ranking rows[] = {
      {"nothing used: (1 - |0 - 0|)*10", pod("web"), {a}, {}, {{"a", 10}}},
      {"(1 - |0.75 - 0.5|)*10 = 7.5; (1 - |0.5 - 0.5|)*10 = 10",
       pod("web").cpu("3").memory("5000"),
       {a, b},
       {},
       {{"a", 7}, {"b", 10}}},
      {"either way round: (1 - |0.5 - 0.75|)*10 = 7.5",
       pod("web").cpu("2").memory("7500"),
       {a},
       {},
       {{"a", 7}}},
      {"all of the cpu is too much", pod("web").cpu("4").memory("9999"), {a}, {}, {{"a", 0}}},
      {"all of the memory is too much", pod("web").cpu("3").memory("10000"), {a}, {}, {{"a", 0}}},
      {"nearly all of both: (1 - |0.99975 - 0.9998|)*10 = 9.9995",
       pod("web").cpu("3999m").memory("9998"),
       {a},
       {},
       {{"a", 9}}},
      {"with what the node's pods use: (1 - |0.5 - 0.1|)*10 = 6",
       pod("web").cpu("1").memory("500"),
       {a},
       {pod("there").cpu("1").memory("500").on("a")},
       {{"a", 6}}},
      {"a node without cpu", pod("web"), {node("a").memory("10000")}, {}, {{"a", 0}}},
      {"a node without memory", pod("web"), {node("a").cpu("4")}, {}, {{"a", 0}}},
      {"a container that names neither: (1 - |0.1 - 0.2|)*10 = 9",
       pod("web").container(),
       {node("a").cpu("1").memory("1000Mi")},
       {},
       {{"a", 9}}},
      {"in float64: (1 - |0.6 - 0.3|)*10 = 7, for 0.6 - 0.3 = 0.3 exactly",
       pod("web").cpu("600m").memory("300"),
       {node("a").cpu("1").memory("1000")},
       {},
       {{"a", 7}}},
      {"in float64: (1 - |0.8 - 0.1|)*10 = 2, for 1 - 0.7000000000000001 < 0.3",
       pod("web").cpu("800m").memory("100"),
       {node("a").cpu("1").memory("1000")},
       {},
       {{"a", 2}}},
  };
  check_scores("BalancedResourceAllocation", rows);
}

}  // namespace winnow::test
