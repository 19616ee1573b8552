#include <doctest/doctest.h>

#include "predicates/records.h"
#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test {

TEST_CASE("NodeName") {
  const char* const kRefused = "unresolvable: node(s) didn't match the requested node name";
  const Placement rows[] = {
      {"the pod names no node", pod("web"), node("a"), {}, "fits"},
      {"this one", pod("web").on("a"), node("a"), {}, "fits"},
      {"another", pod("web").on("b"), node("a"), {}, kRefused},
      {"names are spelled in one way", pod("web").on("A"), node("a"), {}, kRefused},
      {"the label is not the name",
       pod("web").on("b"),
       node("a").label("kubernetes.io/hostname", "b"),
       {},
       kRefused},
  };
  check_plugin_verdicts("NodeName", rows);
}

TEST_CASE("NodeName leaves one node before any is looked at") {
  State state(kPlugins);
  state.set_node(node("a"));
  const View view(state);
  const Pod web = pod("web").on("elsewhere");
  const auto rule = predicates::find_plugin("NodeName")->bind({web, view, {}}, {});
  REQUIRE(rule);
  REQUIRE(rule->only());
  CHECK(*rule->only() == std::vector<std::string>{"elsewhere"});
  CHECK_FALSE(rule->refuses_pod());
}

}  // namespace winnow::test
