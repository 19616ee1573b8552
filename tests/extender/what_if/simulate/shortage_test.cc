#include "extender/what_if/simulate/shortage.h"

#include <doctest/doctest.h>

#include "extender/what_if/simulate/changes.h"
#include "extender/what_if/simulate/scenarios.h"
#include "extender/what_if/simulate/simulation.h"
#include "tests/extender/what_if/simulate/trial_cluster.h"

namespace winnow::test {
namespace {

constexpr const char* kHostKey = "kubernetes.io/hostname";
constexpr const char* kZoneKey = "topology.kubernetes.io/zone";

NodeBuilder host_in(const std::string& name, std::string_view cpu, const std::string& zone = "z") {
  return roomy(name, cpu).label(kHostKey, name).label(kZoneKey, zone);
}

/// A Deployment whose pods' spec has more than a container.
std::string web_with(const std::string& spec) {
  return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  selector: {matchLabels: "
         "{app: web}}\n  template:\n    metadata: {labels: {app: web}}\n    spec: {containers: [{name: c, "
         "image: i, resources: {requests: {cpu: \"1\"}}}], " +
         spec + "}\n";
}

UntilFull fill(TrialCluster& trial, const std::string& text) {
  Simulation simulation(trial.state, trial.engines, {}, {}, {});
  place_until_full(simulation, simulation.add_batches(sets_of(text, trial.state)), 1000);
  return *simulation.finish().until_full;
}

std::string json_of(const UntilFull& full) {
  SimulationResult result;
  result.until_full = full;
  std::string out;
  write_json(result, [&](std::string_view piece) { out += piece; });
  return out;
}

std::string report_of(const UntilFull& full) {
  SimulationResult result;
  result.until_full = full;
  std::string out;
  append_report(out, result, {.table = {.width = 0}});
  return out;
}

}  // namespace

TEST_CASE("what runs out first is told of the nodes that could take a pod") {
  struct Row {
    const char* sentence;
    const char* spec;
    std::size_t pods, nodes;
    CountedReasons reasons;
  };
  const std::string apart =
      "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
      "kubernetes.io/hostname, labelSelector: {matchLabels: {app: web}}}]}}";
  const Row rows[] = {
      {"nodes that never fitted do not count, though they are more",
       "nodeSelector: {pool: b}",
       3,
       2,
       {{"Insufficient cpu", 2}}},
      {"nodes that were full before do not count",
       "nodeSelector: {pool: a}",
       2,
       1,
       {{"Insufficient cpu", 1}}},
      {"all that shuts them is told, the most frequent first",
       apart.c_str(),
       3,
       3,
       {{"node(s) didn't match pod anti-affinity rules", 2}, {"Insufficient cpu", 1}}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    TrialCluster trial(Generation::kToday);
    for (const char* name : {"full-1", "full-2", "full-3", "full-4"})
      trial.state.set_node(host_in(name, "500m").label("pool", "a"));
    trial.state.set_node(host_in("a", "2").label("pool", "a"));
    trial.state.set_node(host_in("b", "2").label("pool", "b"));
    trial.state.set_node(host_in("c", "1").label("pool", "b"));
    const UntilFull full = fill(trial, web_with(row.spec));
    CHECK(full.pods == row.pods);
    CHECK(full.shortage.nodes == row.nodes);
    CHECK(full.shortage.reasons == row.reasons);
    CHECK(full.shortage.full_domains.empty());
  }
}

TEST_CASE("of a spread the full domain is told, which shuts nodes with room") {
  TrialCluster trial(Generation::kToday);
  trial.state.set_node(host_in("a", "2", "za"));
  trial.state.set_node(host_in("b", "8", "zb"));
  trial.state.set_node(host_in("c", "8", "zc"));
  const UntilFull full = fill(
      trial, web_with("topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, "
                      "whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}]"));
  CHECK(full.pods == 8);
  REQUIRE(full.shortage.full_domains.size() == 1);
  const FullDomain& domain = full.shortage.full_domains.front();
  CHECK(domain.key == kZoneKey);
  CHECK(domain.value == "za");
  CHECK(domain.pods == 2);
  CHECK(domain.shuts == 2);
  CHECK(domain.reasons == CountedReasons{{"Insufficient cpu", 1}});
  CHECK(report_of(full).contains(
      "What runs out first, on the 3 nodes that could take one: node(s) didn't match pod topology spread "
      "constraints (2 nodes), Insufficient cpu (1 node).\nOf the domains, "
      "topology.kubernetes.io/zone=za has the fewest of these pods (2), and takes no more: Insufficient cpu "
      "(1 node). So maxSkew 1 shuts 2 nodes elsewhere.\n"));
  CHECK(json_of(full).contains(
      R"("runsOut":{"nodes":3,"reasons":[{"reason":"node(s) didn't match pod topology spread constraints","nodes":2},{"reason":"Insufficient cpu","nodes":1}],"fullDomains":[{"topologyKey":"topology.kubernetes.io/zone","domain":"za","pods":2,"maxSkew":1,"shuts":2,"reasons":[{"reason":"Insufficient cpu","nodes":1}]}]})"));
}

TEST_CASE("where no node fits the first pod, nothing runs out") {
  TrialCluster trial(Generation::kToday);
  trial.state.set_node(host_in("a", "500m"));
  const UntilFull full = fill(trial, web_with("nodeSelector: {pool: x}"));
  CHECK(full.pods == 0);
  CHECK(full.shortage.nodes == 0);
  CHECK(report_of(full).contains("\nNo node could take it from the start.\n"));
}

}  // namespace winnow::test
