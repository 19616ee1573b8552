#include "cluster/expand/daemon_sets.h"

#include <doctest/doctest.h>

#include "cluster/expand/pod_set.h"
#include "extender/what_if/simulate/changes.h"
#include "extender/what_if/simulate/scenarios.h"
#include "extender/what_if/simulate/simulation.h"
#include "tests/extender/what_if/simulate/trial_cluster.h"

namespace winnow::test {
namespace {

using Names = std::vector<std::string>;

/// A pod of the DaemonSet infra/OWNER on a node, as its controller makes it.
Pod daemon_on(const std::string& node, const std::string& owner, PodBuilder builder = pod("")) {
  Pod made = builder.in("infra").on(node);
  made.metadata.name = owner + "-on-" + node;
  made.metadata.owner_references = {{"apps/v1", "DaemonSet", owner, owner + "-uid", true}};
  require_node(made.spec, node);
  return made;
}

Pod pending(Pod daemon) {
  daemon.spec.node_name.clear();
  return daemon;
}

Pod with_owner(Pod pod, const std::string& kind) {
  pod.metadata.owner_references.at(0).kind = kind;
  return pod;
}

Pod with_priority(Pod pod, std::int32_t priority) {
  pod.spec.priority = priority;
  return pod;
}

/// Their names, in order; with "?" those that are unsure.
Names names_of(const std::vector<KnownDaemonSet>& sets) {
  Names names;
  for (const KnownDaemonSet& one : sets)
    names.push_back(std::string(one.name()) + (one.is_unsure ? "?" : ""));
  return names;
}

/// A workload in YAML whose pods take a port of the host.
std::string takes_port(const std::string& kind, const std::string& name) {
  return "apiVersion: apps/v1\nkind: " + kind + "\nmetadata: {name: " + name +
         ", namespace: shop}\nspec:\n  selector: {matchLabels: {app: " + name +
         "}}\n  template:\n    metadata: {labels: {app: " + name +
         "}}\n    spec: {containers: [{name: c, image: i, ports: [{containerPort: 80, hostPort: 8080}]}]}\n";
}

}  // namespace

TEST_CASE("daemon sets: those of a cluster are told by their pods") {
  struct Row {
    std::string sentence;
    std::vector<Pod> pods;
    Names names;
    Node node = roomy("new", "4");
  };
  const Row rows[] = {
      {"pods of other controllers",
       {with_owner(daemon_on("n1", "web"), "ReplicaSet"), with_owner(daemon_on("n1", "static"), "Node")},
       {}},
      {"those of the highest priority first, then by name",
       {daemon_on("n1", "b"), daemon_on("n2", "b"), daemon_on("n1", "a"), daemon_on("n2", "a"),
        with_priority(daemon_on("n1", "c"), 9), with_priority(daemon_on("n2", "c"), 9)},
       {"infra/c", "infra/a", "infra/b"}},
      {"a pod that waits for its node", {daemon_on("n1", "a"), pending(daemon_on("n2", "a"))}, {"infra/a"}},
      {"a node without a pod, though it may have one", {daemon_on("n1", "a")}, {"infra/a?"}},
      {"a DaemonSet that goes", {daemon_on("n1", "a", pod("").deleting())}, {}},
      {"a nodeSelector that the new node does not match",
       {daemon_on("n1", "a", pod("").selects_nodes("disk", "ssd"))},
       {}},
      {"a nodeSelector that it matches",
       {daemon_on("n1", "a", pod("").selects_nodes("disk", "ssd"))},
       {"infra/a"},
       roomy("new", "4").label("disk", "ssd")},
      {"a taint that its pods do not tolerate",
       {daemon_on("n1", "a"), daemon_on("n2", "a")},
       {},
       roomy("new", "4").taint("gpu", "", "NoSchedule")},
      {"a taint that they tolerate",
       {daemon_on("n1", "a", pod("").tolerates("gpu")), daemon_on("n2", "a", pod("").tolerates("gpu"))},
       {"infra/a"},
       roomy("new", "4").taint("gpu", "", "NoSchedule")},
      {"the newest template",
       {daemon_on("n1", "a", pod("").label("pod-template-generation", "9")),
        daemon_on("n2", "a", pod("").label("pod-template-generation", "10").selects_nodes("disk", "ssd"))},
       {}},
      {"room does not matter", {daemon_on("n1", "a", pod("").cpu("9")), daemon_on("n2", "a")}, {"infra/a"}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    State state;
    for (const char* const name : {"n1", "n2"}) state.set_node(roomy(name, "4"));
    for (const Pod& one : row.pods) state.set_pod(one);
    const DaemonSets sets(state);
    state.set_node(row.node);
    CHECK(names_of(sets.on_new_node(state, state.find_node("new"))) == row.names);
  }
}

TEST_CASE("daemon sets: one of a file replaces the cluster's, and is sure") {
  State state;
  for (const char* const name : {"n1", "n2"}) state.set_node(roomy(name, "4"));
  Pod known = daemon_on("n1", "agent");
  known.metadata.namespace_ = "shop";
  state.set_pod(known);
  DaemonSets sets(state);
  const NodeId node = state.find_node("n2");
  CHECK(names_of(sets.on_new_node(state, node)) == Names{"shop/agent?"});
  for (const PodSet& set :
       sets_of(takes_port("DaemonSet", "agent") + "---\n" + takes_port("Deployment", "web"), state))
    sets.add(set);
  const std::vector<KnownDaemonSet> made = sets.on_new_node(state, node);
  CHECK(names_of(made) == Names{"shop/agent"});
  CHECK(made.at(0).pods.pod(0).spec.containers.at(0).ports.size() == 1);
}

TEST_CASE("new nodes: pods of DaemonSets come before all others") {
  TrialCluster trial(Generation::kToday);
  trial.state.set_node(roomy("n", "1"));
  trial.state.set_pod(daemon_on("n", "agent", pod("").cpu("1")));
  Pod urgent = pod("urgent").cpu("4");
  urgent.spec.priority = 1000;
  trial.state.set_pod(urgent);
  Simulation simulation(trial.state, trial.engines, {}, {.templates = {roomy("big", "4")}, .count = 2}, {});
  CHECK(simulation.new_nodes() == Names{"big-1", "big-2"});
  simulation.add_pending();
  simulation.run();
  simulation.run();
  CHECK(simulation.new_nodes().empty());
  const SimulationResult result = simulation.finish();
  CHECK(told(result) == Names{"urgent nowhere"});
  CHECK(result.new_nodes.nodes == 2);
  REQUIRE(result.new_nodes.pods.size() == 2);
  CHECK(result.new_nodes.pods[1].daemon_set == "infra/agent");
  CHECK(result.new_nodes.pods[1].node == "big-2");
  CHECK(result.new_nodes.pending() == 0);
  CHECK(trial.state.find_pod("infra", "agent-big-2") != winnow::kNone);
}

TEST_CASE("new nodes: the DaemonSets of removed nodes count") {
  TrialCluster trial(Generation::kToday);
  trial.state.set_node(roomy("n", "4"));
  trial.state.set_pod(daemon_on("n", "agent"));
  Simulation simulation(trial.state, trial.engines, {},
                        {.remove_nodes = {"n"}, .templates = {roomy("big", "4")}}, {});
  simulation.run();
  CHECK(simulation.finish().new_nodes.pods.size() == 1);
  CHECK(trial.state.find_pod("infra", "agent-big-1") != winnow::kNone);
}

TEST_CASE("nodes needed: DaemonSets come first on each") {
  struct Row {
    std::string sentence;
    std::vector<Pod> daemons;  ///< Of the cluster.
    std::string text;
    std::size_t nodes;
    std::size_t pending;  ///< Pods of DaemonSets.
    std::string why;      ///< "": all fit.
    Names in_the_way;
  };
  const std::string no_port = "node(s) didn't have free ports for the requested pod ports";
  const std::string no_cpu = "Insufficient cpu";
  const auto asks = [](const char* name, const char* cpu) { return daemon_on("n", name, pod("").cpu(cpu)); };
  const Row rows[] = {
      {"without DaemonSets two pods share a node", {}, deployment("web", 2, "2"), 1, 0, "", {}},
      {"with one each needs its own", {asks("a", "1500m")}, deployment("web", 2, "2"), 2, 0, "", {}},
      {"a port is taken on each node",
       {daemon_on("n", "a", pod("").host_port(8080, "TCP")), asks("b", "1")},
       takes_port("Deployment", "web"),
       0,
       0,
       no_port,
       {"infra/a"}},
      {"so it is by a DaemonSet of the files",
       {},
       takes_port("DaemonSet", "agent") + "---\n" + takes_port("Deployment", "web"),
       0,
       0,
       no_port,
       {"shop/agent"}},
      {"either of two is in the way",
       {asks("a", "1500m"), asks("b", "1500m")},
       deployment("web", 1, "2"),
       0,
       0,
       no_cpu,
       {"infra/a", "infra/b"}},
      {"only both together are in the way",
       {asks("a", "1"), asks("b", "1")},
       deployment("web", 1, "3500m"),
       0,
       0,
       no_cpu,
       {"infra/a", "infra/b"}},
      {"the empty node is too small", {asks("a", "1")}, deployment("web", 1, "5"), 0, 0, no_cpu, {}},
      {"a pod of a DaemonSet stays pending", {asks("a", "5")}, deployment("web", 1, "3"), 1, 1, "", {}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    TrialCluster trial(Generation::kToday);
    trial.state.set_node(roomy("n", "1"));
    for (const Pod& one : row.daemons) trial.state.set_pod(one);
    Simulation simulation(trial.state, trial.engines, {}, {}, {});
    simulation.wait_for(simulation.add_batches(sets_of(row.text, trial.state)));
    add_nodes_until_all_fit(simulation, {roomy("big", "4")}, 10);
    const SimulationResult result = simulation.finish();
    REQUIRE(result.nodes_needed);
    CHECK(result.nodes_needed->nodes == row.nodes);
    CHECK(result.nodes_needed->enough == row.why.empty());
    CHECK(result.nodes_needed->why == row.why);
    CHECK(result.nodes_needed->in_the_way == row.in_the_way);
    CHECK(result.new_nodes.nodes == row.nodes);
    CHECK(result.new_nodes.pods.size() == row.nodes * row.daemons.size());
    CHECK(result.new_nodes.pending() == row.pending);
    CHECK(trial.state.node_count() == 1 + row.nodes);
    CHECK(result.nodes.size() == 1 + row.nodes);
  }
}

}  // namespace winnow::test
