#include <doctest/doctest.h>

#include "cluster/api/selector_errors.h"
#include "cluster/rule/shared_args.h"
#include "tests/ask.h"
#include "tests/spread_cluster.h"

namespace winnow::test::pod_topology_spread_test {
namespace {

const char* const kRule = "PodTopologySpread";
const std::string kFits = "fits";
const std::string kRefused = "unschedulable: node(s) didn't match pod topology spread constraints";
const std::string kNoLabel =
    "unresolvable: node(s) didn't match pod topology spread constraints (missing required label)";

/// A pod, the web pods on the nodes of spread_nodes(), and the verdicts that follow.
struct Row {
  std::string sentence;
  Pod pod;
  std::map<std::string, int> webs;
  std::vector<Pod> others;
  std::map<std::string, std::string> answers;
};

void check(std::span<const Row> rows, const Arguments& arguments = {},
           const std::vector<Node>& nodes = spread_nodes()) {
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    State state(kPlugins);
    for (const Node& node : nodes) state.set_node(node);
    for (const Pod& pod : webs_on(row.webs)) state.set_pod(pod);
    for (const Pod& pod : row.others) state.set_pod(pod);
    CHECK(judge(kRule, View(state), row.pod, arguments) == row.answers);
    state.groups.keep_wanted();
    CHECK(judge(kRule, View(state), row.pod, arguments) == row.answers);
  }
}

/// Changes the last constraint.
Pod with(Pod pod, const std::function<void(TopologySpreadConstraint&)>& change) {
  change(pod.spec.topology_spread_constraints.back());
  return pod;
}
Pod spreads(const char* key = kZoneKey, std::int32_t max_skew = 1) {
  return web("p").spreads(key, kWebs, max_skew);
}
Pod min_domains(Pod pod, std::int32_t domains) {
  return with(std::move(pod), [=](TopologySpreadConstraint& c) { c.min_domains = domains; });
}

}  // namespace

TEST_CASE("PodTopologySpread, filter") {
  const Row rows[] = {
      {"no constraint", web("p"), {{"a", 5}}, {}, of_nodes(kFits, kFits, kFits, kFits)},
      {"a soft constraint is not for here",
       web("p").spreads(kZoneKey, kWebs, 1, false),
       {{"a", 5}},
       {},
       of_nodes(kFits, kFits, kFits, kFits)},
      {"3 + 1 - 2 > 1 in zone x, 2 + 1 - 2 <= 1 in y; a node without the key cannot be helped",
       spreads(),
       {{"a", 2}, {"b", 1}, {"c", 2}},
       {},
       of_nodes(kRefused, kRefused, kFits, kNoLabel)},
      {"3 + 1 - 2 <= 2",
       spreads(kZoneKey, 2),
       {{"a", 2}, {"b", 1}, {"c", 2}},
       {},
       of_nodes(kFits, kFits, kFits, kNoLabel)},
      {"a pod that does not match itself: 3 - 2 <= 1",
       pod("p").spreads(kZoneKey, kWebs),
       {{"a", 2}, {"b", 1}, {"c", 2}},
       {},
       of_nodes(kFits, kFits, kFits, kNoLabel)},
      {"pods that are being deleted, and those of other namespaces, do not count",
       spreads(),
       {},
       {web("going").on("a").deleting(), web("other").in("elsewhere").on("a")},
       of_nodes(kFits, kFits, kFits, kNoLabel)},
      {"all constraints hold, and the first to fail is told",
       web("p").spreads(kZoneKey, kWebs).spreads("rack", kWebs),
       {{"a", 2}},
       {},
       of_nodes(kNoLabel, kNoLabel, kNoLabel, kNoLabel)},
      {"an empty selector counts no pod and yet matches the pod itself: 0 + 1 - 0 <= 1",
       web("p").spreads(kZoneKey, LabelSelector()),
       {{"a", 5}},
       {},
       of_nodes(kFits, kFits, kFits, kNoLabel)},
      {"an absent selector matches nothing",
       web("p").spreads(kZoneKey, std::nullopt),
       {{"a", 5}},
       {},
       of_nodes(kFits, kFits, kFits, kNoLabel)},
      {"two domains where three are asked for: the fewest are 0, 1 + 1 - 0 > 1",
       min_domains(spreads(), 3),
       {{"a", 1}, {"c", 1}},
       {},
       of_nodes(kRefused, kRefused, kRefused, kNoLabel)},
      {"two domains are two",
       min_domains(spreads(), 2),
       {{"a", 1}, {"c", 1}},
       {},
       of_nodes(kFits, kFits, kFits, kNoLabel)},
  };
  check(rows);
}

TEST_CASE("PodTopologySpread: which nodes count") {
  const auto ignores_affinity = [](TopologySpreadConstraint& c) { c.node_affinity_policy = "Ignore"; };
  const auto honours_taints = [](TopologySpreadConstraint& c) { c.node_taints_policy = "Honor"; };
  std::vector<Node> nodes = spread_nodes();
  nodes[2].spec.taints.push_back({"gpu", "", "NoSchedule"});
  const Pod chosen = web("p").spreads(kZoneKey, kWebs).selects_nodes(kHostKey, "a");
  const Row rows[] = {
      {"a node that the pod may not run on does not count, and is judged by what its domain has: 0",
       chosen,
       {{"a", 1}, {"b", 7}, {"c", 9}},
       {},
       of_nodes(kFits, kFits, kFits, kNoLabel)},
      {"unless the policy is to ignore that: 8 + 1 - 8 in x, 9 + 1 - 8 in y",
       with(chosen, ignores_affinity),
       {{"a", 1}, {"b", 7}, {"c", 9}},
       {},
       of_nodes(kFits, kFits, kRefused, kNoLabel)},
      {"taints are passed over: 2 + 1 - 0 in x",
       spreads(),
       {{"a", 2}},
       {},
       of_nodes(kRefused, kRefused, kFits, kNoLabel)},
      {"or honoured: x is the only domain left, 2 + 1 - 2",
       with(spreads(), honours_taints),
       {{"a", 2}},
       {},
       of_nodes(kFits, kFits, kFits, kNoLabel)},
      {"a taint that the pod tolerates does not matter",
       with(web("p").tolerates("gpu").spreads(kZoneKey, kWebs), honours_taints),
       {{"a", 2}},
       {},
       of_nodes(kRefused, kRefused, kFits, kNoLabel)},
  };
  check(rows, {}, nodes);
}

TEST_CASE("PodTopologySpread: matchLabelKeys") {
  const auto by_version = [](TopologySpreadConstraint& c) { c.match_label_keys = {"version", "absent"}; };
  const std::vector<Pod> two_versions = {web("old").label("version", "1").on("a"),
                                         web("new").label("version", "2").on("c")};
  const Row rows[] = {
      {"only pods with the pod's own value count, keys that it lacks are passed over",
       with(web("p").label("version", "1").spreads(kZoneKey, kWebs), by_version),
       {},
       two_versions,
       of_nodes(kRefused, kRefused, kFits, kNoLabel)},
      {"with an empty selector they are all that is asked for",
       with(web("p").label("version", "2").spreads(kZoneKey, LabelSelector()), by_version),
       {},
       two_versions,
       of_nodes(kFits, kFits, kRefused, kNoLabel)},
      {"an absent selector goes on matching nothing",
       with(web("p").label("version", "2").spreads(kZoneKey, std::nullopt), by_version),
       {},
       two_versions,
       of_nodes(kFits, kFits, kFits, kNoLabel)},
  };
  check(rows);
}

TEST_CASE("PodTopologySpread: defaults of the configuration") {
  const PodTopologySpreadArgs list{
      {{.max_skew = 1, .topology_key = kZoneKey, .when_unsatisfiable = "DoNotSchedule"}}, false};
  State state(kPlugins);
  for (const Node& node : spread_nodes()) state.set_node(node);
  for (const Pod& pod : webs_on({{"a", 2}})) state.set_pod(pod);
  const auto everywhere = of_nodes(kFits, kFits, kFits, kFits);
  CHECK(judge(kRule, View(state), web("p"), list) == everywhere);  // Without a service there is no selector.
  state.workloads.set_service(meta("default", "web"), StringMap{{"app", "web"}});
  CHECK(judge(kRule, View(state), web("p"), list) == of_nodes(kRefused, kRefused, kFits, kNoLabel));
  CHECK(judge(kRule, View(state), web("p"), {}) == everywhere);  // The system's defaults are soft.
  // A constraint of the pod's own, hard or soft, switches the defaults off.
  CHECK(judge(kRule, View(state), web("p").spreads("rack", kWebs, 1, false), list) == everywhere);
}

TEST_CASE("PodTopologySpread: without a maxSkew it is 1") {
  State state(kPlugins);
  for (const Node& node : spread_nodes()) state.set_node(node);
  for (const Pod& pod : webs_on({{"a", 1}})) state.set_pod(pod);
  const View view(state);
  CHECK(judge(kRule, view, spreads(kZoneKey, 0)) == judge(kRule, view, spreads(kZoneKey, 1)));
  CHECK(judge(kRule, view, spreads(kZoneKey, 0)) == of_nodes(kRefused, kRefused, kFits, kNoLabel));
}

TEST_CASE("PodTopologySpread: a selector that is none is an error before any node is looked at") {
  State state(kPlugins);
  state.set_node(node("a").label(kZoneKey, "x"));
  CHECK(judge_one(kRule, View(state), pod("p").spreads(kZoneKey, invalid_selector())) ==
        std::string("error: get constraints from pod: obtaining pod's hard topology spread constraints: ") +
            label_selector_error(invalid_selector()));
}

}  // namespace winnow::test::pod_topology_spread_test
