// Nodes that fail stay in the cluster, and what that means for their pods and for those that are made anew.
#include <doctest/doctest.h>

#include "extender/what_if/simulate/changes.h"
#include "extender/what_if/simulate/simulation.h"
#include "tests/extender/what_if/simulate/trial_cluster.h"

namespace winnow::test {
namespace {

constexpr const char* kZoneOfNode = "topology.kubernetes.io/zone";

Pod of_owner(Pod pod, const std::string& kind, const std::string& name) {
  pod.metadata.owner_references = {{"apps/v1", kind, name, name + "-uid", true}};
  return pod;
}

Toleration tolerates_unreachable(std::optional<std::int64_t> seconds) {
  return {.key = "node.kubernetes.io/unreachable",
          .op = "Exists",
          .value = "",
          .effect = "NoExecute",
          .toleration_seconds = seconds};
}

SimulationResult fail_nodes_of(TrialCluster& trial, const std::vector<std::string>& nodes) {
  Simulation simulation(trial.state, trial.engines, {}, {.fail_nodes = nodes}, {});
  simulation.run();
  return simulation.finish();
}

std::string report_whole(const SimulationResult& result) {
  std::string out;
  append_report(out, result, {.table = {.width = 0}});
  return out;
}

std::string json_whole(const SimulationResult& result) {
  std::string out;
  write_json(result, [&](std::string_view piece) { out += piece; });
  return out;
}

}  // namespace

TEST_CASE("a failed node has the taints and the condition of one that is unreachable") {
  for (const Generation generation : {Generation::kToday, Generation::kClassic}) {
    TrialCluster trial(generation);
    trial.state.set_node(roomy("n1", "4"));
    trial.state.set_pod(pod("waits"));
    CHECK(fail_nodes_of(trial, {"n1"}).failed_nodes == 1);
    const Node node = trial.state.nodes().to_node(trial.state.find_node("n1"));
    CHECK(node.spec.taints == std::vector<Taint>{{"node.kubernetes.io/unreachable", "", "NoSchedule"},
                                                 {"node.kubernetes.io/unreachable", "", "NoExecute"}});
    Simulation again(trial.state, trial.engines, {}, {}, {});
    again.add_pending();
    again.run();
    CHECK(told(again.finish()) == std::vector<std::string>{"waits nowhere"});
  }
}

TEST_CASE("what becomes of the pods of a failed node") {
  struct Row {
    const char* sentence;
    Pod pod;
    std::string told;  ///< "": it stays, and is not met.
  };
  Pod patient = of_owner(pod("patient").on("n1"), "ReplicaSet", "web"), brief = patient, both = patient;
  patient.spec.tolerations = {tolerates_unreachable({})};
  brief.spec.tolerations = {tolerates_unreachable(300)};
  both.spec.tolerations = {tolerates_unreachable({}), tolerates_unreachable(300)};
  const Row rows[] = {
      {"a ReplicaSet makes another, by another name", of_owner(pod("web-x").on("n1"), "ReplicaSet", "web"),
       "web-x-2 from n1 on n2"},
      {"so it does when its toleration ends", brief, "patient-2 from n1 on n2"},
      {"the first toleration that ends counts", both, "patient-2 from n1 on n2"},
      {"one that tolerates it for ever stays", patient, ""},
      {"a DaemonSet's stays", of_owner(pod("agent").on("n1"), "DaemonSet", "agent"), ""},
      {"a static pod stays", of_owner(pod("proxy").on("n1"), "Node", "n1"), ""},
      {"a StatefulSet waits until it is gone", of_owner(pod("db-0").on("n1"), "StatefulSet", "db"),
       "db-0 from n1 stuck"},
      {"nobody makes a single pod anew", pod("bare").on("n1"), "bare from n1 notRemade"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    TrialCluster trial(Generation::kToday);
    for (const char* const name : {"n1", "n2"}) trial.state.set_node(roomy(name, "4"));
    trial.state.set_pod(row.pod);
    const SimulationResult result = fail_nodes_of(trial, {"n1"});
    CHECK(told(result) ==
          (row.told.empty() ? std::vector<std::string>{} : std::vector<std::string>{row.told}));
    CHECK(result.daemon_pods_stay == (row.told.empty() ? 1U : 0U));
    // It is on its node still, and being deleted unless it stays.
    const PodId there = trial.state.find_pod("default", row.pod.metadata.name);
    REQUIRE(there != winnow::kNone);
    CHECK(trial.state.metadata_of(there).deleting == !row.told.empty());
  }
}

TEST_CASE("a zone that fails counts for spreads, and one that is removed does not") {
  for (const bool fails : {true, false}) {
    CAPTURE(fails);
    TrialCluster trial(Generation::kToday);
    for (const auto& [name, zone] : {std::pair("a", "za"), std::pair("b", "zb"), std::pair("c", "zc")})
      trial.state.set_node(roomy(name, "8").label(kZoneOfNode, zone));
    for (const auto& [name, node] :
         {std::pair("w-1", "a"), std::pair("w-2", "b"), std::pair("w-3", "c"), std::pair("w-4", "a")}) {
      Pod web = of_owner(pod(name).label("app", "web").on(node), "ReplicaSet", "w");
      TopologySpreadConstraint spread;
      spread.max_skew = 1;
      spread.topology_key = kZoneOfNode;
      spread.when_unsatisfiable = "DoNotSchedule";
      spread.label_selector = selects({{"app", "web"}});
      web.spec.topology_spread_constraints = {spread};
      trial.state.set_pod(web);
    }
    Changes changes;
    (fails ? changes.fail_nodes : changes.remove_nodes) = {"a"};
    Simulation simulation(trial.state, trial.engines, {}, changes, {});
    simulation.run();
    const SimulationResult result = simulation.finish();
    CHECK(result.count(PodEnd::kPlaced) == (fails ? 0U : 2U));
    CHECK(result.count(PodEnd::kNowhere) == (fails ? 2U : 0U));
    CHECK(result.running.at("ReplicaSet default/w").before == 4);
    CHECK(result.running.at("ReplicaSet default/w").after == (fails ? 2U : 4U));
    const std::string text = report_whole(result);
    CHECK(text.contains("Zone za has no node any more. Where a zone fails, its nodes stay, and spreads count "
                        "it: see --fail-nodes.\n") == !fails);
    CHECK(text.contains("1 node fails and stays: unreachable, ") == fails);
    CHECK(text.contains("ReplicaSet default/w (2 pods; 2 of 4 run)\n") == fails);
    CHECK(json_whole(result).contains(R"("failedNodes":1)") == fails);
    CHECK(json_whole(result).contains(
        R"("workloads":[{"workload":"ReplicaSet default/w","before":4,"after":)"));
  }
}

TEST_CASE("pods that fit nowhere: reasons that differ in numbers are one, and requests are added up") {
  SimulationResult result;
  result.batches.emplace_back("Deployment shop/a", WaitingNames{{"shop", "a-1"}});
  result.batches.emplace_back("Deployment shop/b", WaitingNames{{"shop", "b-1"}});
  result.batches.emplace_back("Deployment shop/c", WaitingNames{{"shop", "c-1"}});
  result.whys = {
      {.text = "0/40 nodes are available: 27 Insufficient cpu, 6 Insufficient memory.",
       .reasons = {{"Insufficient cpu", 27}, {"Insufficient memory", 6}}},
      {.text = "0/40 nodes are available: 16 Insufficient memory, 27 Insufficient cpu.",
       .reasons = {{"Insufficient cpu", 27}, {"Insufficient memory", 16}}},
      {.text = "0/40 nodes are available: 40 Insufficient cpu.", .reasons = {{"Insufficient cpu", 40}}}};
  for (std::uint32_t i = 0; i < 3; ++i)
    result.pods.push_back({.batch = i, .why = i, .end = PodEnd::kNowhere});
  result.nowhere = {4500, std::int64_t{3} << 30, 3};
  const std::string text = report_whole(result);
  CHECK_MESSAGE(
      text.contains("\n3 pods fit nowhere:\n  Together they request 4500m cpu and 3Gi of memory.\n"
                    "  0/40 nodes are available: 27 Insufficient cpu, 6 to 16 Insufficient memory.\n"
                    "      Deployment shop/a, Deployment shop/b\n"
                    "  0/40 nodes are available: 40 Insufficient cpu.\n      Deployment shop/c\n"),
      text);
  CHECK(json_whole(result).contains(R"("nowhereRequests":{"milliCPU":4500,"memory":3221225472,"pods":3})"));
}

}  // namespace winnow::test
