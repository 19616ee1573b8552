#include <doctest/doctest.h>

#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test {

TEST_CASE("MostRequestedPriority") {
  const Node a = node("a").cpu("4").memory("10000");
  const Node b = node("b").cpu("6").memory("10000");
  const Ranking rows[] = {
      {"nothing used", pod("web"), {a}, {}, {{"a", 0}}},
      {"3000*10/4000 = 7, 5000*10/10000 = 5, 12/2 = 6; 3000*10/6000 = 5, 5",
       pod("web").cpu("3").memory("5000"),
       {a, b},
       {},
       {{"a", 6}, {"b", 5}}},
      {"each division truncates: 3999*10/4000 = 9, 9999*10/10000 = 9",
       pod("web").cpu("3999m").memory("9999"),
       {a},
       {},
       {{"a", 9}}},
      {"so does the half: (9 + 10)/2 = 9", pod("web").cpu("3999m").memory("10000"), {a}, {}, {{"a", 9}}},
      {"all of it: (10 + 10)/2", pod("web").cpu("4").memory("10000"), {a}, {}, {{"a", 10}}},
      {"more than all of it: (0 + 10)/2", pod("web").cpu("4001m").memory("10000"), {a}, {}, {{"a", 5}}},
      {"with what the node's pods use: (1000+1000)*10/4000 = 5, 5/2 = 2",
       pod("web").cpu("1").memory("0"),
       {a},
       {pod("there").cpu("1").memory("0").on("a")},
       {{"a", 2}}},
      {"a node without memory: (10 + 0)/2",
       pod("web").cpu("4").memory("0"),
       {node("a").cpu("4")},
       {},
       {{"a", 5}}},
      {"a container that names neither: 100*10/500 = 2, 200*10/500 = 4, 6/2 = 3",
       pod("web").container(),
       {node("a").cpu("500m").memory("500Mi")},
       {},
       {{"a", 3}}},
  };
  check_scores("MostRequestedPriority", rows);
}

}  // namespace winnow::test
