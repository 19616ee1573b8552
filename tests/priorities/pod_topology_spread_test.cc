#include <doctest/doctest.h>

#include "cluster/api/selector_errors.h"
#include "cluster/rule/topology_spread.h"
#include "tests/ask.h"
#include "tests/spread_cluster.h"

namespace winnow::test::pod_topology_spread_test {
namespace {

const char* const kRule = "PodTopologySpread";

Ranking on_spread_nodes(std::string sentence, Pod pod, const std::map<std::string, int>& webs,
                        std::map<std::string, std::int64_t> scores) {
  return {std::move(sentence), std::move(pod), spread_nodes(), webs_on(webs), std::move(scores)};
}
PodBuilder soft(const char* key, std::int32_t max_skew = 1) {
  return web("p").spreads(key, kWebs, max_skew, false);
}
using Score = std::int64_t;

}  // namespace

TEST_CASE("PodTopologySpread, score") {
  const Ranking rows[] = {
      on_spread_nodes("no constraint", web("p"), {{"a", 5}}, of_nodes<Score>(0, 0, 0, 0)),
      on_spread_nodes(
          "3 * ln(4) = 4.16 in x, 0 in y: 100 * (4+0-4)/4 and 100; a node without the key is left out",
          soft(kZoneKey), {{"a", 3}}, of_nodes<Score>(0, 0, 100, 0)),
      on_spread_nodes("hosts: ln(5) = 1.61, so 2*1.61 = 3.2, 1.6 and 0: 100*(3-3)/3, 100*(3-2)/3 and 100",
                      soft(kHostKey), {{"a", 2}, {"b", 1}}, of_nodes<Score>(0, 33, 100, 0)),
      on_spread_nodes("maxSkew waters down: 3*1.39+2 = 6.16, 2: 100*(6+2-6)/6 and 100*(6+2-2)/6",
                      soft(kZoneKey, 3), {{"a", 3}}, of_nodes<Score>(33, 33, 100, 0)),
      on_spread_nodes("nothing counts, all are best", soft(kZoneKey), {}, of_nodes<Score>(100, 100, 100, 0)),
      on_spread_nodes("a key that no node has", soft("rack"), {{"a", 1}}, of_nodes<Score>(0, 0, 0, 0)),
      on_spread_nodes("an empty selector counts nothing",
                      web("p").spreads(kZoneKey, LabelSelector(), 1, false), {{"a", 3}},
                      of_nodes<Score>(100, 100, 100, 0)),
  };
  check_plugin_scores(kRule, rows);
}

TEST_CASE("PodTopologySpread: the system's defaults") {
  State state(kPlugins);
  for (const Node& node : spread_nodes()) state.set_node(node);
  state.set_node(node("e").label(kHostKey, "e"));
  for (const Pod& pod : webs_on({{"a", 1}, {"e", 4}})) state.set_pod(pod);
  CHECK(score(kRule, View(state), web("p")).skipped);  // Nothing selects the pod.

  state.workloads.set_service(meta("default", "web"), StringMap{{"app", "web"}});
  const Scores given = score(kRule, View(state), web("p"));
  // ln(5+2) = 1.946 by host; zones x, y and the missing one: ln(3+2) = 1.609. a: 1.946+2 + 1.609+4 = 9.56,
  // b: 2 + 1.609+4 = 7.6, c: 2+4 = 6, d: 0 for it has neither, e: 4*1.946+2 = 9.8.
  CHECK(given.raw == std::map<std::string, Score>{{"a", 10}, {"b", 8}, {"c", 6}, {"d", 0}, {"e", 10}});
  CHECK(given.scores == std::map<std::string, Score>{{"a", 0}, {"b", 20}, {"c", 40}, {"d", 100}, {"e", 0}});
}

TEST_CASE(
    "PodTopologySpread: a node without a zone and one whose zone is empty are in one domain of the "
    "system's") {
  State state(kPlugins);
  state.set_node(node("none").label(kHostKey, "none"));
  state.set_node(node("empty").label(kHostKey, "empty").label(kZoneKey, ""));
  state.workloads.set_service(meta("default", "web"), StringMap{{"app", "web"}});
  for (const Pod& pod : webs_on({{"none", 3}})) state.set_pod(pod);
  // ln(2+2) = 1.386 by host; one zone, ln(3) = 1.0986. none: 3*1.386+2 = 6.2; empty: 2 + 3*1.0986+4 = 9.3.
  CHECK(score(kRule, View(state), web("p")).raw == std::map<std::string, Score>{{"none", 6}, {"empty", 9}});
}

TEST_CASE("PodTopologySpread: the domains are those of the scored nodes, the pods those of all nodes") {
  State state(kPlugins);
  for (const Node& node : spread_nodes()) state.set_node(node);
  for (const Pod& pod : webs_on({{"a", 2}, {"b", 3}})) state.set_pod(pod);
  // Zone x alone: 5*ln(3) = 5.49; by host: 2*ln(3) = 2.197.
  CHECK(score(kRule, View(state), soft(kZoneKey), {"a"}).raw == std::map<std::string, Score>{{"a", 5}});
  CHECK(score(kRule, View(state), soft(kHostKey), {"a"}).raw == std::map<std::string, Score>{{"a", 2}});
}

TEST_CASE("PodTopologySpread: the default selector is of all services and of the controller") {
  Workloads workloads;
  workloads.set_service(meta("default", "s1"), StringMap{{"app", "web"}});
  workloads.set_service(meta("default", "s2"), StringMap{{"tier", "front"}});
  workloads.set_service(meta("default", "other"), StringMap{{"app", "db"}});
  workloads.set(WorkloadKind::kReplicaSet, meta("default", "rs"), selects({{"hash", "1"}}));
  PodBuilder mine = web("p").label("tier", "front").owner("ReplicaSet", "u1");
  mine.object().metadata.owner_references.front().api_version = "apps/v1";
  mine.object().metadata.owner_references.front().name = "rs";
  CHECK(default_selector(workloads, mine) ==
        selector_from_set({{"app", "web"}, {"tier", "front"}, {"hash", "1"}}));
  mine.object().metadata.owner_references.front().api_version = "apps/v1beta2";
  CHECK(default_selector(workloads, mine) == selector_from_set({{"app", "web"}, {"tier", "front"}}));
  CHECK(default_selector(workloads, pod("lone")).is_everything());
}

TEST_CASE("PodTopologySpread: an error of a soft constraint fails the pod") {
  State state(kPlugins);
  state.set_node(node("a"));
  CHECK(score(kRule, View(state), pod("p").spreads(kZoneKey, invalid_selector(), 1, false)).error ==
        std::string("calculating preScoreState: obtaining pod's soft topology spread constraints: ") +
            label_selector_error(invalid_selector()));
}

}  // namespace winnow::test::pod_topology_spread_test
