#include <doctest/doctest.h>

#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test {

TEST_CASE("TaintToleration: which nodes are better") {
  const char* const kPrefer = "PreferNoSchedule";
  const std::vector<Node> nodes = {
      node("none"), node("one").taint("spot", "", kPrefer),
      node("two").taint("spot", "", kPrefer).taint("old", "5", kPrefer),
      node("three").taint("spot", "", kPrefer).taint("old", "5", kPrefer).taint("far", "", kPrefer)};
  const Ranking rows[] = {
      {"without taints all have 100", pod("web"), {node("a"), node("b")}, {}, {{"a", 100}, {"b", 100}}},
      {"0 to 3 taints: 100-100*1/3 = 67, 100-100*2/3 = 34",
       pod("web"),
       nodes,
       {},
       {{"none", 100}, {"one", 67}, {"two", 34}, {"three", 0}}},
      {"all tolerated: all have 100",
       pod("web").tolerates(""),
       nodes,
       {},
       {{"none", 100}, {"one", 100}, {"two", 100}, {"three", 100}}},
      {"one tolerated: 0, 0, 1, 2 are left",
       pod("web").tolerates("spot", "Exists", "", kPrefer),
       nodes,
       {},
       {{"none", 100}, {"one", 100}, {"two", 50}, {"three", 0}}},
      {"a toleration of another effect does not count",
       pod("web").tolerates("", "Exists", "", "NoSchedule"),
       nodes,
       {},
       {{"none", 100}, {"one", 67}, {"two", 34}, {"three", 0}}},
      {"comparing tolerates nothing",
       pod("web").tolerates("old", "Lt", "9"),
       nodes,
       {},
       {{"none", 100}, {"one", 67}, {"two", 34}, {"three", 0}}},
      {"no key and Equal compares values: spot and far are tolerated",
       pod("web").tolerates("", "Equal", ""),
       nodes,
       {},
       {{"none", 100}, {"one", 100}, {"two", 0}, {"three", 0}}},
      {"other effects do not count",
       pod("web"),
       {node("a").taint("x", "", "NoSchedule").taint("y", "", "NoExecute"),
        node("b").taint("z", "", kPrefer)},
       {},
       {{"a", 100}, {"b", 0}}},
      {"a taint that all have costs all of them everything",
       pod("web"),
       {node("a").taint("z", "", kPrefer), node("b").taint("z", "", kPrefer)},
       {},
       {{"a", 0}, {"b", 0}}},
  };
  check_plugin_scores("TaintToleration", rows);
}

TEST_CASE("TaintToleration is never skipped") {
  State state(kPlugins);
  state.set_node(node("a"));
  CHECK_FALSE(score("TaintToleration", View(state), pod("web")).skipped);
}

}  // namespace winnow::test
