#include <doctest/doctest.h>

#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test {

TEST_CASE("NodeAffinityPriority") {
  const std::vector<Node> nodes = {node("ssd").label("disk", "ssd").label("cores", "8"),
                                   node("hdd").label("disk", "hdd"), node("bare")};
  const SelectorRequirement ssd{"disk", "In", {"ssd"}};
  const SelectorRequirement any{"disk", "Exists", {}};
  const Ranking rows[] = {
      {"no affinity", pod("web"), nodes, {}, {{"ssd", 0}, {"hdd", 0}, {"bare", 0}}},
      {"required affinity does not score",
       pod("web").requires_nodes({ssd}),
       nodes,
       {},
       {{"ssd", 0}, {"hdd", 0}, {"bare", 0}}},
      {"2+3 = 5: 10*5/5; 10*2/5; 0",
       pod("web").prefers_nodes(2, {any}).prefers_nodes(3, {ssd}),
       nodes,
       {},
       {{"ssd", 10}, {"hdd", 4}, {"bare", 0}}},
      {"truncated: 1+2 = 3: 10*3/3, 10*1/3 = 3",
       pod("web").prefers_nodes(1, {any}).prefers_nodes(2, {ssd}),
       nodes,
       {},
       {{"ssd", 10}, {"hdd", 3}, {"bare", 0}}},
      {"nobody matches",
       pod("web").prefers_nodes(5, {{"disk", "In", {"tape"}}}),
       nodes,
       {},
       {{"ssd", 0}, {"hdd", 0}, {"bare", 0}}},
      {"an empty preference matches nothing",
       pod("web").prefers_nodes(5, {}).prefers_nodes(1, {ssd}),
       nodes,
       {},
       {{"ssd", 10}, {"hdd", 0}, {"bare", 0}}},
      {"fields alone match nothing",
       pod("web").prefers_nodes(5, {}, {{"metadata.name", "In", {"bare"}}}),
       nodes,
       {},
       {{"ssd", 0}, {"hdd", 0}, {"bare", 0}}},
      {"fields beside labels are not looked at",
       pod("web").prefers_nodes(5, {ssd}, {{"metadata.name", "In", {"bare"}}}),
       nodes,
       {},
       {{"ssd", 10}, {"hdd", 0}, {"bare", 0}}},
      {"all requirements of a preference",
       pod("web").prefers_nodes(1, {any, ssd}),
       nodes,
       {},
       {{"ssd", 10}, {"hdd", 0}, {"bare", 0}}},
      {"8 > 7",
       pod("web").prefers_nodes(1, {{"cores", "Gt", {"7"}}}),
       nodes,
       {},
       {{"ssd", 10}, {"hdd", 0}, {"bare", 0}}},
      {"8 > 8 is not",
       pod("web").prefers_nodes(1, {{"cores", "Gt", {"8"}}}),
       nodes,
       {},
       {{"ssd", 0}, {"hdd", 0}, {"bare", 0}}},
      {"NotIn without the key",
       pod("web").prefers_nodes(1, {{"disk", "NotIn", {"ssd"}}}),
       nodes,
       {},
       {{"ssd", 0}, {"hdd", 10}, {"bare", 10}}},
      {"an invalid preference of weight 0 is passed over",
       pod("web").prefers_nodes(0, {{"cores", "Gt", {"-1"}}}).prefers_nodes(1, {ssd}),
       nodes,
       {},
       {{"ssd", 10}, {"hdd", 0}, {"bare", 0}}},
  };
  check_scores("NodeAffinityPriority", rows);
}

TEST_CASE("an invalid preference fails the call, where there is a node to score") {
  State state;
  const Pod web = pod("web").prefers_nodes(1, {{"cores", "In", {"8"}}, {"cores", "Gt", {"x"}}});
  CHECK(score("NodeAffinityPriority", View(state), web).error == "");
  state.set_node(node("a"));
  CHECK(score("NodeAffinityPriority", View(state), web).error ==
        "for 'Gt', 'Lt' operators, the value must be an integer");
  const Pod negative = pod("web").prefers_nodes(1, {{"cores", "Gt", {"-1"}}});
  CHECK(score("NodeAffinityPriority", View(state), negative)
            .error.starts_with("invalid label value: \"-1\": at key: \"cores\""));
}

}  // namespace winnow::test
