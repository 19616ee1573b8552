#include <doctest/doctest.h>

#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test {

TEST_CASE("TaintTolerationPriority") {
  const auto tainted = [](const char* name, int taints) {
    NodeBuilder made = node(name);
    for (int i = 0; i < taints; ++i) made.taint("t" + std::to_string(i), "x", "PreferNoSchedule");
    return made;
  };
  const std::vector<Node> nodes = {tainted("none", 0), tainted("one", 1), tainted("two", 2),
                                   tainted("three", 3)};
  const Ranking rows[] = {
      {"10 - 10*1/3 = 10 - 3, 10 - 10*2/3 = 10 - 6",
       pod("web"),
       nodes,
       {},
       {{"none", 10}, {"one", 7}, {"two", 4}, {"three", 0}}},
      {"all tolerated: 10 everywhere",
       pod("web").tolerates(""),
       nodes,
       {},
       {{"none", 10}, {"one", 10}, {"two", 10}, {"three", 10}}},
      {"t0 tolerated: 0, 0, 1, 2 left: 10 - 10*1/2",
       pod("web").tolerates("t0"),
       nodes,
       {},
       {{"none", 10}, {"one", 10}, {"two", 5}, {"three", 0}}},
      {"tolerated for this effect",
       pod("web").tolerates("t0", "Exists", "", "PreferNoSchedule"),
       nodes,
       {},
       {{"none", 10}, {"one", 10}, {"two", 5}, {"three", 0}}},
      {"tolerated for another effect is not",
       pod("web").tolerates("", "Exists", "", "NoSchedule"),
       nodes,
       {},
       {{"none", 10}, {"one", 7}, {"two", 4}, {"three", 0}}},
      {"by value",
       pod("web").tolerates("", "Equal", "x"),
       nodes,
       {},
       {{"none", 10}, {"one", 10}, {"two", 10}, {"three", 10}}},
      {"by another value",
       pod("web").tolerates("", "Equal", "y"),
       nodes,
       {},
       {{"none", 10}, {"one", 7}, {"two", 4}, {"three", 0}}},
      {"other effects do not count",
       pod("web"),
       {node("a").taint("t", "", "NoSchedule").taint("u", "", "NoExecute"), node("b")},
       {},
       {{"a", 10}, {"b", 10}}},
      {"one taint everywhere: 0 everywhere",
       pod("web"),
       {tainted("a", 1), tainted("b", 1)},
       {},
       {{"a", 0}, {"b", 0}}},
  };
  check_scores("TaintTolerationPriority", rows);
}

TEST_CASE("the most taints are those of the nodes asked about") {
  State state;
  state.set_node(node("a").taint("t", "", "PreferNoSchedule").taint("u", "", "PreferNoSchedule"));
  state.set_node(node("b").taint("t", "", "PreferNoSchedule"));
  state.set_node(node("c"));
  using Named = std::map<std::string, std::int64_t>;
  CHECK(score("TaintTolerationPriority", View(state), pod("web"), {"b", "c"}).scores ==
        Named{{"b", 0}, {"c", 10}});
  CHECK(score("TaintTolerationPriority", View(state), pod("web")).scores ==
        Named{{"a", 0}, {"b", 5}, {"c", 10}});
  CHECK(score("TaintTolerationPriority", View(state), pod("web")).raw == Named{{"a", 2}, {"b", 1}, {"c", 0}});
}

}  // namespace winnow::test
