#include <doctest/doctest.h>

#include "cluster/rule/shared_args.h"
#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test {
namespace {

const SelectorRequirement kSsd{"disk", "In", {"ssd"}};
const SelectorRequirement kAny{"disk", "Exists", {}};
const SelectorRequirement kBare{"metadata.name", "In", {"bare"}};

const std::vector<Node>& nodes() {
  static const std::vector<Node> kNodes = {node("ssd").label("disk", "ssd").label("cores", "8"),
                                           node("hdd").label("disk", "hdd"), node("bare")};
  return kNodes;
}

NodeAffinityArgs adds(std::vector<PreferredSchedulingTerm> terms) {
  return {NodeAffinity{{}, std::move(terms)}};
}

/// The plugin's scores for a pod, on the nodes of nodes().
Scores ask(const Pod& asked, const Arguments& arguments = {}) {
  State state(kPlugins);
  for (const Node& each : nodes()) state.set_node(each);
  return score(priority("NodeAffinity"), View(state), asked, arguments);
}

}  // namespace

TEST_CASE("NodeAffinity: the pod's preferences") {
  const Ranking rows[] = {
      {"2+3 = 5: 100*5/5, 100*2/5",
       pod("web").prefers_nodes(2, {kAny}).prefers_nodes(3, {kSsd}),
       nodes(),
       {},
       {{"ssd", 100}, {"hdd", 40}, {"bare", 0}}},
      {"truncated: 1+2 = 3: 100*1/3 = 33",
       pod("web").prefers_nodes(1, {kAny}).prefers_nodes(2, {kSsd}),
       nodes(),
       {},
       {{"ssd", 100}, {"hdd", 33}, {"bare", 0}}},
      {"nobody matches: 0 everywhere",
       pod("web").prefers_nodes(5, {{"disk", "In", {"tape"}}}),
       nodes(),
       {},
       {{"ssd", 0}, {"hdd", 0}, {"bare", 0}}},
      {"an empty preference matches nothing",
       pod("web").prefers_nodes(5, {}).prefers_nodes(1, {kSsd}),
       nodes(),
       {},
       {{"ssd", 100}, {"hdd", 0}, {"bare", 0}}},
      {"fields alone count",
       pod("web").prefers_nodes(5, {}, {kBare}),
       nodes(),
       {},
       {{"ssd", 0}, {"hdd", 0}, {"bare", 100}}},
      {"labels and fields of a preference are ANDed",
       pod("web").prefers_nodes(5, {kSsd}, {kBare}).prefers_nodes(1, {kAny}),
       nodes(),
       {},
       {{"ssd", 100}, {"hdd", 100}, {"bare", 0}}},
      {"NotIn does not need the key",
       pod("web").prefers_nodes(1, {{"disk", "NotIn", {"ssd"}}}),
       nodes(),
       {},
       {{"ssd", 0}, {"hdd", 100}, {"bare", 100}}},
      {"8 > 7",
       pod("web").prefers_nodes(1, {{"cores", "Gt", {"7"}}}),
       nodes(),
       {},
       {{"ssd", 100}, {"hdd", 0}, {"bare", 0}}},
      {"a preference of weight 0 is not even parsed",
       pod("web").prefers_nodes(0, {{"cores", "Gt", {"-1"}}}).prefers_nodes(1, {kSsd}),
       nodes(),
       {},
       {{"ssd", 100}, {"hdd", 0}, {"bare", 0}}},
  };
  check_plugin_scores("NodeAffinity", rows);
}

TEST_CASE("NodeAffinity: the configuration's preferences") {
  const Arguments arguments = adds({{3, {{kAny}, {}}}, {0, {{kSsd}, {}}}, {7, {}}, {1, {{}, {kBare}}}});
  const Ranking rows[] = {
      {"a pod without any: 3, 3, 1: 100*1/3 = 33",
       pod("web"),
       nodes(),
       {},
       {{"ssd", 100}, {"hdd", 100}, {"bare", 33}}},
      {"they are added to the pod's: 3+2, 3, 1: 100*3/5, 100*1/5",
       pod("web").prefers_nodes(2, {kSsd}),
       nodes(),
       {},
       {{"ssd", 100}, {"hdd", 60}, {"bare", 20}}},
  };
  check_plugin_scores("NodeAffinity", rows, arguments);
}

TEST_CASE("NodeAffinity is skipped where nobody prefers anything") {
  CHECK(ask(pod("web")).skipped);
  CHECK(ask(pod("web").requires_nodes({kSsd})).skipped);
  CHECK(ask(pod("web"), adds({})).skipped);
  CHECK_FALSE(ask(pod("web").prefers_nodes(0, {kSsd})).skipped);
  CHECK_FALSE(ask(pod("web").prefers_nodes(1, {})).skipped);
  CHECK_FALSE(ask(pod("web"), adds({{1, {}}})).skipped);
}

TEST_CASE("NodeAffinity: a preference that does not parse fails the pod, every fault by its path") {
  CHECK(ask(pod("web").prefers_nodes(1, {kSsd}).prefers_nodes(1, {kAny, {"cores", "Gt", {"x"}}})).error ==
        "[1].matchExpressions[1].values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must "
        "be an "
        "integer");
  CHECK(ask(pod("web")
                .prefers_nodes(1, {{"a", "In", {}}}, {{"metadata.name", "Exists", {}}})
                .prefers_nodes(1, {}))
            .error ==
        "[[0].matchExpressions[0].values: Invalid value: null: for 'in', 'notin' operators, values set can't "
        "be "
        "empty, [0].matchFields[0].operator: Unsupported value: \"Exists\": supported values: \"In\", "
        "\"NotIn\"]");
}

TEST_CASE("where there is no node to score a preference is not parsed") {
  State state(kPlugins);
  CHECK(score("NodeAffinity", View(state), pod("web").prefers_nodes(1, {{"cores", "Gt", {"x"}}})).error ==
        "");
}

}  // namespace winnow::test
