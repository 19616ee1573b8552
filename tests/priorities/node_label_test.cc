#include <doctest/doctest.h>

#include "cluster/rule/shared_args.h"
#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test {

TEST_CASE("NodeLabel: the share of preferences that a node meets, truncated") {
  const std::vector<Node> nodes = {node("none"), node("ssd").label("ssd", ""),
                                   node("all").label("ssd", "").label("fast", "no"),
                                   node("old").label("ssd", "").label("old", "")};
  const Ranking rows[] = {{"of ssd, fast and no old: a third each",
                           pod("web"),
                           nodes,
                           {},
                           {{"none", 33}, {"ssd", 66}, {"all", 100}, {"old", 33}}}};
  check_plugin_scores("NodeLabel", rows, NodeLabelArgs{{}, {}, {"ssd", "fast"}, {"old"}});
  const Ranking unasked[] = {
      {"no preference", pod("web"), nodes, {}, {{"none", 0}, {"ssd", 0}, {"all", 0}, {"old", 0}}}};
  check_plugin_scores("NodeLabel", unasked, NodeLabelArgs{{"ssd"}, {}, {}, {}});
}

TEST_CASE("NodePreferAvoidPods: 0 for a node that avoids the pod's controller, else 100") {
  const std::vector<Node> nodes = {node("shy").avoids("ReplicaSet", "1"), node("open")};
  const Ranking rows[] = {
      {"avoided", pod("web").owner("ReplicaSet", "1"), nodes, {}, {{"shy", 0}, {"open", 100}}},
      {"another's", pod("web").owner("ReplicaSet", "2"), nodes, {}, {{"shy", 100}, {"open", 100}}},
      {"nobody's", pod("web"), nodes, {}, {{"shy", 100}, {"open", 100}}}};
  check_plugin_scores("NodePreferAvoidPods", rows);
}

}  // namespace winnow::test
