#include "extender/what_if/simulate/simulation.h"

#include <doctest/doctest.h>

#include "extender/what_if/simulate/changes.h"
#include "extender/what_if/simulate/scenarios.h"
#include "tests/devices.h"
#include "tests/extender/what_if/simulate/trial_cluster.h"

namespace winnow::test {
namespace {

using Told = std::vector<std::string>;

Pod with(PodBuilder builder, std::optional<std::int32_t> priority, std::optional<std::int64_t> created = {}) {
  builder.object().spec.priority = priority;
  builder.object().metadata.creation_timestamp = created;
  return builder;
}

Pod owned(Pod pod, const std::string& kind, const std::string& name) {
  pod.metadata.owner_references = {{"apps/v1", kind, name, name + "-uid", true}};
  return pod;
}

PodDisruptionBudget budget(const std::string& app, std::int32_t allowed, std::int32_t current,
                           std::int32_t desired) {
  PodDisruptionBudget made;
  made.metadata = meta("default", app);
  made.selector = selects({{"app", app}});
  made.disruptions_allowed = allowed;
  made.current_healthy = current;
  made.desired_healthy = desired;
  return made;
}

}  // namespace

TEST_CASE("simulation: pods wait in the order of priority, age and files") {
  TrialCluster trial(Generation::kToday);
  trial.state.set_node(roomy("n", "4"));
  trial.state.set_pod(with(pod("young").cpu("1"), 0, 200));
  trial.state.set_pod(with(pod("old").cpu("1"), 0, 100));
  trial.state.set_pod(with(pod("urgent").cpu("1"), 9, 300));
  Simulation simulation(trial.state, trial.engines, {}, {}, {});
  simulation.add_pending();
  simulation.wait_for(simulation.add_batches(sets_of(deployment("web", 3, "1"), trial.state)));
  simulation.run();
  const SimulationResult result = simulation.finish();
  // As they were met; four of them have room: the urgent, the old, the young and the first of the file.
  Told lines = told(result);
  REQUIRE(lines.size() == 6);
  CHECK(Told(lines.begin(), lines.begin() + 3) == Told{"old on n", "urgent on n", "young on n"});
  CHECK(lines[3].ends_with(" on n"));
  CHECK(lines[4].ends_with(" nowhere"));
  CHECK(lines[5].ends_with(" nowhere"));
  REQUIRE(result.whys.size() == 1);
  CHECK(result.whys[0].text == "0/1 nodes are available: 1 Insufficient cpu.");
  CHECK(result.whys[0].pods == 2);
}

TEST_CASE("simulation: a pod that waits for another is tried again") {
  TrialCluster trial(Generation::kToday);
  trial.state.set_node(roomy("n", "4").label("kubernetes.io/hostname", "n"));
  trial.state.set_pod(with(
      pod("friend").label("app", "friend").joins(pods_with({{"app", "web"}}, "kubernetes.io/hostname")), 9));
  trial.state.set_pod(with(pod("web").label("app", "web"), 1));
  Simulation simulation(trial.state, trial.engines, {}, {}, {});
  simulation.add_pending();
  simulation.run();
  CHECK(told(simulation.finish()) == Told{"friend on n", "web on n"});
}

TEST_CASE("simulation: each attempt is told, also one that fails as an equal pod has") {
  TrialCluster trial(Generation::kToday);
  trial.state.set_node(roomy("n", "4"));
  trial.state.set_pod(with(pod("large").cpu("3"), 9));
  trial.state.set_pod(with(pod("late-1").cpu("2"), 1));
  trial.state.set_pod(with(pod("late-2").cpu("2"), 1));
  trial.state.set_pod(with(pod("small").cpu("1"), 0));
  Simulation simulation(trial.state, trial.engines, {}, {}, {});
  Told attempts;
  simulation.observe([&](const Pod& one, const winnow::Placement& placement) {
    attempts.push_back(one.metadata.name + " " +
                       (placement.node.empty() ? placement.reasons.at(0).first : placement.node));
    CHECK(placement.node.empty() == !placement.why.empty());
    CHECK(trial.state.to_pod(trial.state.find_pod("default", one.metadata.name)).spec.node_name ==
          placement.node);
  });
  simulation.add_pending();
  simulation.run();
  CHECK(attempts == Told{"large n", "late-1 Insufficient cpu", "late-2 Insufficient cpu", "small n",
                         "late-1 Insufficient cpu", "late-2 Insufficient cpu"});
}

TEST_CASE("simulation: an error that names a pod is not told of an equal one") {
  TrialCluster trial(Generation::kClassic);
  trial.state.set_node(roomy("n", "4").label("kubernetes.io/hostname", "n"));
  trial.state.set_pod(
      pod("there").avoids(pods_with({{"app", "not valid!"}}, "kubernetes.io/hostname")).on("n"));
  trial.state.set_pod(pod("a"));
  trial.state.set_pod(pod("b"));
  Simulation simulation(trial.state, trial.engines, {}, {}, {});
  simulation.add_pending();
  simulation.run();
  const SimulationResult result = simulation.finish();
  REQUIRE(result.whys.size() == 2);
  CHECK(result.whys[0].text.contains("pod default/a:"));
  CHECK(result.whys[1].text.contains("pod default/b:"));
}

TEST_CASE("simulation: a pod with scheduling gates waits, and that is said") {
  TrialCluster trial(Generation::kToday);
  trial.state.set_node(roomy("n", "4"));
  Pod gated = pod("a");
  gated.spec.scheduling_gates = {"example.com/quota", "example.com/other"};
  trial.state.set_pod(gated);
  Simulation simulation(trial.state, trial.engines, {}, {}, {});
  simulation.add_pending();
  simulation.run();
  const SimulationResult result = simulation.finish();
  CHECK(told(result) == Told{"a gated"});
  CHECK(result.whys[0].text == "waits for its scheduling gates: example.com/quota, example.com/other");
}

TEST_CASE("simulation: pods of a removed node are made anew, if somebody makes them") {
  TrialCluster trial(Generation::kToday);
  for (const char* const name : {"n1", "n2"}) trial.state.set_node(roomy(name, "4"));
  trial.state.set_pod(owned(pod("web-x").on("n1"), "ReplicaSet", "web"));
  trial.state.set_pod(owned(pod("agent-x").on("n1"), "DaemonSet", "agent"));
  trial.state.set_pod(pod("bare").on("n1"));
  Simulation simulation(trial.state, trial.engines, {}, {.remove_nodes = {"n1"}}, {});
  simulation.run();
  const SimulationResult result = simulation.finish();
  CHECK(told(result) == Told{"bare from n1 notRemade", "web-x from n1 on n2"});
  CHECK(result.daemon_pods_went == 1);
  REQUIRE(result.nodes.size() == 2);
  CHECK(result.nodes[0].name == "n1");
  CHECK_FALSE(result.nodes[0].after);
  CHECK(result.nodes[1].before->pods == 0);
  CHECK(result.nodes[1].after->pods == 1);
}

TEST_CASE("simulation: preempted pods come back at their priority") {
  TrialCluster trial(Generation::kToday);
  trial.state.set_node(roomy("n1", "2"));
  trial.state.set_node(roomy("n2", "1"));
  trial.state.set_pod(owned(with(pod("low").cpu("1").on("n1"), 1), "ReplicaSet", "low"));
  trial.state.set_pod(owned(with(pod("mid").cpu("1").on("n1"), 2), "ReplicaSet", "mid"));
  trial.state.set_pod(with(pod("high").cpu("2"), 10));
  Simulation simulation(trial.state, trial.engines, {.preemption = true}, {}, {});
  simulation.add_pending();
  simulation.run();
  const SimulationResult result = simulation.finish();
  CHECK(told(result) == Told{"high on n1", "mid from n1 on n2", "low from n1 nowhere"});
  CHECK(result.evictions == 2);
}

TEST_CASE("simulation: a pod that was placed and is preempted then counts once") {
  TrialCluster trial(Generation::kToday);
  trial.state.set_node(roomy("n", "2").label("kubernetes.io/hostname", "n"));
  // The friend waits for web. When web stands, the low one has taken the friend's room.
  trial.state.set_pod(
      with(pod("friend").cpu("1").joins(pods_with({{"app", "web"}}, "kubernetes.io/hostname")), 9, 1));
  trial.state.set_pod(with(pod("web").cpu("1").label("app", "web"), 9, 2));
  trial.state.set_pod(owned(with(pod("low").cpu("1"), 1), "ReplicaSet", "low"));
  Simulation simulation(trial.state, trial.engines, {.preemption = true}, {}, {});
  simulation.add_pending();
  simulation.run();
  const SimulationResult result = simulation.finish();
  CHECK(told(result) == Told{"friend on n", "low from n nowhere", "web on n"});
  CHECK(result.evictions == 1);
  CHECK(result.pods[1].origin == PodOrigin::kWaiting);
}

TEST_CASE("simulation: a pod that has preempted in vain does not do so for ever") {
  TrialCluster trial(Generation::kToday);
  trial.state.set_node(roomy("n", "4"));
  for (const std::string ns : {"default", "other"}) {
    trial.state.volumes.set(
        PersistentVolumeClaim(pvc("only").in(ns).access("ReadWriteOncePod").bound_to("pv-" + ns)));
    trial.state.volumes.set(
        PersistentVolume(pv("pv-" + ns).access("ReadWriteOncePod").claimed_by(ns, "only").phase("Bound")));
  }
  // While it tries evictions upstream takes the claim of the other namespace for the pod's own.
  trial.state.set_pod(with(pod("holder").mounts(claim("only")).on("n"), 100));
  trial.state.set_pod(
      owned(with(pod("victim").in("other").mounts(claim("only")).on("n"), 1), "StatefulSet", "data"));
  trial.state.set_pod(with(pod("vain").mounts(claim("only")), 10));
  Simulation simulation(trial.state, trial.engines, {.preemption = true}, {},
                        [](std::size_t done, std::size_t) { return done < 100; });
  simulation.add_pending();
  simulation.run();
  const SimulationResult result = simulation.finish();
  CHECK(told(result) == Told{"vain nowhere", "other/victim from n on n"});
  CHECK(result.evictions == 1);
  CHECK_FALSE(result.cut_short);
}

TEST_CASE("simulation: what is asked to stop, stops with what is known") {
  TrialCluster trial(Generation::kToday);
  trial.state.set_node(roomy("n", "64"));
  Simulation simulation(trial.state, trial.engines, {}, {},
                        [](std::size_t done, std::size_t all) { return done < 3 && all == 10; });
  simulation.wait_for(simulation.add_batches(sets_of(deployment("web", 10, "1"), trial.state)));
  simulation.run();
  const SimulationResult result = simulation.finish();
  CHECK(result.cut_short);
  CHECK(result.count(PodEnd::kPlaced) == 3);
  CHECK(result.count(PodEnd::kUntried) == 7);
}

// ---- drain ----

TEST_CASE("drain: pods leave in order, and budgets are kept") {
  struct Row {
    std::string sentence;
    std::vector<PodDisruptionBudget> budgets;
    std::string cpu_elsewhere;
    Told told;
  };
  const std::string refused = "";
  const Row rows[] = {
      {"without budgets all go",
       {},
       "8",
       {"web-1 from n1 on n2", "web-2 from n1 on n2", "web-3 from n1 on n2"}},
      {"one at a time",
       {budget("web", 1, 3, 2)},
       "8",
       {"web-1 from n1 on n2", "web-2 from n1 on n2", "web-3 from n1 on n2"}},
      {"none at all",
       {budget("web", 0, 3, 3)},
       "8",
       {"web-1 from n1 blocked", "web-2 from n1 blocked", "web-3 from n1 blocked"}},
      {"a replacement that has no place blocks the next",
       {budget("web", 1, 3, 2)},
       "1",
       {"web-1 from n1 on n2", "web-2 from n1 nowhere", "web-3 from n1 blocked"}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    TrialCluster trial(Generation::kToday);
    trial.state.set_node(roomy("n1", "8"));
    trial.state.set_node(roomy("n2", row.cpu_elsewhere));
    for (const PodDisruptionBudget& one : row.budgets)
      trial.state.objects.of<PodDisruptionBudget>().emplace(key_of(one.metadata), one);
    for (const char* const name : {"web-2", "web-1", "web-3"})
      trial.state.set_pod(owned(pod(name).label("app", "web").cpu("1").on("n1"), "ReplicaSet", "web"));
    trial.state.set_pod(owned(pod("agent").on("n1"), "DaemonSet", "agent"));
    Pod leaving = owned(pod("leaving").on("n1"), "ReplicaSet", "web");
    leaving.metadata.deleting = true;
    trial.state.set_pod(leaving);
    Simulation simulation(trial.state, trial.engines, {}, {}, {});
    drain(simulation, {"n1"});
    const SimulationResult result = simulation.finish();
    CHECK(told(result) == row.told);
    CHECK(result.daemon_pods_stay == 1);
    CHECK(result.leaving == 1);
    CHECK(trial.state.nodes().flags[trial.state.find_node("n1")] == kUnschedulable);
  }
}

TEST_CASE("drain: an eviction waits until the budget's replacement stands") {
  TrialCluster trial(Generation::kToday);
  trial.state.set_node(roomy("n1", "8"));
  trial.state.set_node(roomy("n2", "8"));
  const PodDisruptionBudget db = budget("db", 0, 2, 2);
  trial.state.objects.of<PodDisruptionBudget>().emplace(key_of(db.metadata), db);
  trial.state.set_pod(owned(pod("db-0").label("app", "db").on("n1"), "StatefulSet", "db"));
  // Pending: a third pod of the same budget. When it stands, one may leave.
  trial.state.set_pod(owned(pod("db-2").label("app", "db"), "StatefulSet", "db"));
  Simulation simulation(trial.state, trial.engines, {}, {}, {});
  simulation.add_pending();
  simulation.run();
  drain(simulation, {"n1"});
  CHECK(told(simulation.finish()) == Told{"db-2 on n1", "db-0 from n1 on n2", "db-2 from n1 on n2"});
}

// ---- until full ----

TEST_CASE("until full: whole rounds, and what stops it") {
  struct Row {
    std::string sentence;
    std::string text;
    std::size_t most, pods, rounds;
    std::string why;
  };
  const std::string one =
      "kind: Pod\napiVersion: v1\nmetadata: {name: p, namespace: shop}\nspec: {containers: "
      "[{name: c, image: i, resources: {requests: {cpu: 700m}}}]}\n";
  const Row rows[] = {
      {"one pod, over and over", one, 100, 4, 4, "0/2 nodes are available: 2 Insufficient cpu."},
      {"a workload of three", deployment("web", 3, "500m"), 100, 8, 2,
       "0/2 nodes are available: 2 Insufficient cpu."},
      {"nothing fits", deployment("web", 1, "5"), 100, 0, 0, "0/2 nodes are available: 2 Insufficient cpu."},
      {"no more than asked", one, 3, 3, 3, ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    TrialCluster trial(Generation::kToday);
    for (const char* const name : {"n1", "n2"}) trial.state.set_node(roomy(name, "2"));
    Simulation simulation(trial.state, trial.engines, {}, {}, {});
    const BatchRange batches = simulation.add_batches(sets_of(row.text, trial.state));
    place_until_full(simulation, batches, row.most);
    const SimulationResult result = simulation.finish();
    REQUIRE(result.until_full);
    CHECK(result.until_full->pods == row.pods);
    CHECK(result.until_full->rounds == row.rounds);
    CHECK(result.until_full->why.text == row.why);
    CHECK(result.pods.size() == row.pods);
    CHECK(trial.state.pod_count() == row.pods);
  }
}

TEST_CASE("until full: repeated pods and their claims have names of their own") {
  TrialCluster trial(Generation::kToday);
  trial.state.volumes.set(storage_class("fast", "csi.example.com"));
  trial.state.set_node(node("n").cpu("2").memory("8Gi").pods("5").condition("Ready", "True"));
  const std::string set =
      "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: db, namespace: data}\nspec:\n  replicas: 2\n"
      "  serviceName: db\n  selector: {matchLabels: {app: db}}\n  template:\n    metadata: {labels: {app: "
      "db}}\n"
      "    spec: {containers: [{name: c, image: i}]}\n  volumeClaimTemplates:\n  - metadata: {name: disk}\n"
      "    spec: {accessModes: [ReadWriteOnce], storageClassName: fast, resources: {requests: {storage: "
      "1Gi}}}\n";
  Simulation simulation(trial.state, trial.engines, {}, {}, {});
  place_until_full(simulation, simulation.add_batches(sets_of(set, trial.state)), 100);
  const SimulationResult result = simulation.finish();
  CHECK(told(result) ==
        Told{"data/db-0 on n", "data/db-1 on n", "data/db-0-2 on n", "data/db-1-2 on n", "data/db-0-3 on n"});
  for (const char* const name : {"disk-db-0", "disk-db-1", "disk-db-0-2", "disk-db-1-2", "disk-db-0-3"}) {
    CAPTURE(name);
    const PersistentVolumeClaim* const made = trial.state.volumes.claim("data", name);
    REQUIRE(made);
    CHECK(made->metadata.annotations.at("volume.kubernetes.io/selected-node") == "n");
  }
}

TEST_CASE("simulation: each pod has a ResourceClaim of its own from the template, in each round") {
  TrialCluster trial(Generation::kToday);
  trial.state.set_node(node("n").cpu("2").memory("8Gi").pods("9").condition("Ready", "True"));
  ObjectWriter<DeviceClass>::set(
      trial.state, {.metadata = {.name = "gpu"}, .selectors = {}, .extended_resource_name = {}});
  ObjectWriter<ResourceSlice>::set(trial.state, gpus_of("n", 3));
  const std::string set =
      "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: db, namespace: data}\nspec:\n  replicas: 2\n"
      "  selector: {matchLabels: {app: db}}\n  template:\n    metadata: {labels: {app: db}}\n"
      "    spec: {containers: [{name: c, image: i}], resourceClaims: [{name: gpu, resourceClaimTemplateName: "
      "any}]}\n"
      "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: any, namespace: "
      "data}\n"
      "spec: {spec: {devices: {requests: [{name: one, exactly: {deviceClassName: gpu}}]}}}\n";
  Simulation simulation(trial.state, trial.engines, {}, {}, {});
  place_until_full(simulation, simulation.add_batches(sets_of(set, trial.state)), 100);
  const SimulationResult result = simulation.finish();
  CHECK(told(result) == Told{"data/db-0 on n", "data/db-1 on n", "data/db-0-2 on n"});
  for (const char* const name : {"db-0", "db-1", "db-0-2"}) {
    CAPTURE(name);
    const Pod placed = trial.state.to_pod(trial.state.find_pod("data", name));
    REQUIRE(placed.status.resource_claim_statuses.size() == 1);
    const std::string claim = placed.status.resource_claim_statuses[0].resource_claim_name.value();
    CHECK(claim.starts_with(std::string(name).substr(0, 4) + "-gpu-"));
    CHECK(claim.ends_with("-2") == placed.metadata.name.ends_with("-2"));
    const ResourceClaim* const made = trial.state.devices.find_claim("data", claim);
    REQUIRE(made != nullptr);
    REQUIRE(controller_of(made->metadata) != nullptr);
    CHECK(controller_of(made->metadata)->uid == placed.metadata.uid);
    CHECK(controller_of(made->metadata)->name == name);
    CHECK(made->allocation);
    REQUIRE(made->reserved_for.size() == 1);
    CHECK(made->reserved_for[0].uid == placed.metadata.uid);
  }
  // The pod that found no device has its claim, too.
  CHECK(trial.state.devices.claims().size() == 4);
  for (const char* const device : {"gpu-0", "gpu-1", "gpu-2"})
    CHECK(trial.state.devices.holders("d", "n", device).size() == 1);
}

TEST_CASE("simulation: a pod needs the room and the nodes of its RuntimeClass") {
  struct Row {
    std::string sentence, overhead, expected;
  };
  const Row rows[] = {{"with its overhead it fits on the node of the class", "2", "on vm"},
                      {"with its overhead it is too large for the node of the class", "3", "nowhere"}};
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    TrialCluster trial(Generation::kToday);
    trial.state.set_node(roomy("plain", "8"));
    trial.state.set_node(roomy("vm", "4").label("vm", "yes").taint("vm", "", "NoSchedule"));
    const std::string text =
        "kind: RuntimeClass\nmetadata: {name: kata}\nhandler: kata\noverhead: {podFixed: {cpu: " +
        row.overhead +
        "}}\nscheduling: {nodeSelector: {vm: 'yes'}, tolerations: [{key: vm, operator: "
        "Exists}]}\n---\nkind: Pod\nmetadata: {name: web}\nspec: {runtimeClassName: kata, "
        "containers: [{name: c, image: i, resources: {requests: {cpu: 2}}}]}\n";
    Simulation simulation(trial.state, trial.engines, {}, {}, {});
    simulation.wait_for(simulation.add_batches(sets_of(text, trial.state)));
    simulation.run();
    CHECK(told(simulation.finish()) == Told{"web " + row.expected});
  }
}

// ---- nodes needed ----

TEST_CASE("nodes needed: one more until all fit") {
  struct Row {
    std::string sentence;
    std::string text;
    std::size_t most, nodes;
    bool enough;
    std::string why;
  };
  const Row rows[] = {
      {"all fit already", deployment("web", 2, "1"), 10, 0, true, ""},
      {"one is enough", deployment("web", 4, "1"), 10, 1, true, ""},
      {"four more pods a node", deployment("web", 11, "1"), 10, 3, true, ""},
      {"too few are allowed", deployment("web", 11, "1"), 2, 2, false, ""},
      {"a pod that no such node holds", deployment("web", 1, "5"), 10, 0, false, "Insufficient cpu"},
      {"the small ones fit, the large one does not",
       deployment("web", 3, "1") + "---\n" + deployment("big", 1, "5"), 10, 1, false, "Insufficient cpu"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    TrialCluster trial(Generation::kToday);
    trial.state.set_node(roomy("n", "2"));
    Simulation simulation(trial.state, trial.engines, {}, {}, {});
    simulation.wait_for(simulation.add_batches(sets_of(row.text, trial.state)));
    add_nodes_until_all_fit(simulation, {roomy("big", "4")}, row.most);
    const SimulationResult result = simulation.finish();
    REQUIRE(result.nodes_needed);
    CHECK(result.nodes_needed->nodes == row.nodes);
    CHECK(result.nodes_needed->enough == row.enough);
    CHECK(result.nodes_needed->why == row.why);
    CHECK(trial.state.node_count() == 1 + row.nodes);
    CHECK(result.nodes.size() == 1 + row.nodes);
    CHECK((result.count(PodEnd::kNowhere) == 0) == row.enough);
  }
}

}  // namespace winnow::test
