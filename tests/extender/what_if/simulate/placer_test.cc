#include "extender/what_if/simulate/placer.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

#include "extender/service/scheduling/feasible_nodes.h"
#include "extender/service/scheduling/node_request.h"
#include "extender/service/scheduling/pick_history.h"
#include "tests/devices.h"
#include "tests/extender/what_if/simulate/trial_cluster.h"

namespace winnow::test {
namespace {

using Nodes = std::vector<std::string>;

Pod nominated(PodBuilder builder, std::string node) {
  builder.object().status.nominated_node_name = std::move(node);
  return builder;
}

Pod important(PodBuilder builder, std::int32_t priority) {
  builder.object().spec.priority = priority;
  return builder;
}

struct Row {
  std::string sentence;
  Generation generation;
  std::function<void(State&)> cluster;
  std::vector<Pod> pods;
  Nodes nodes;
  std::string last_why = "";
};

constexpr Generation kClassic = Generation::kClassic, kToday = Generation::kToday;

void two_nodes(State& state) {
  state.set_node(roomy("n1", "2"));
  state.set_node(roomy("n2", "2"));
}

void one_local_volume(State& state) {
  two_nodes(state);
  state.volumes.set(storage_class("local", "kubernetes.io/no-provisioner"));
  state.volumes.set(PersistentVolume(pv("disk")
                                         .of_class("local")
                                         .size("10Gi")
                                         .access("ReadWriteOnce")
                                         .only_on({{"kubernetes.io/hostname", "In", {"n2"}}})));
  for (const char* const node_name : {"n1", "n2"})
    state.set_node(roomy(node_name, "2").label("kubernetes.io/hostname", node_name));
  for (const char* const name : {"a", "b"})
    state.volumes.set(PersistentVolumeClaim(pvc(name).of_class("local").size("5Gi").access("ReadWriteOnce")));
}

void one_provisioner(State& state) {
  two_nodes(state);
  state.volumes.set(storage_class("fast", "csi.example.com"));
  state.volumes.set(PersistentVolumeClaim(pvc("a").of_class("fast").size("5Gi").access("ReadWriteOnce")));
}

std::vector<Row> rows() {
  std::vector<Row> rows;
  for (const Generation generation : {kClassic, kToday}) {
    rows.push_back(
        {"a pod sees those before it",
         generation,
         two_nodes,
         {pod("a").cpu("1"), pod("b").cpu("1"), pod("c").cpu("1"), pod("d").cpu("1"), pod("e").cpu("1")},
         {"n1", "n2", "n1", "n2", ""},
         "0/2 nodes are available: 2 Insufficient cpu."});
    rows.push_back({"a volume that a claim has taken is gone for the next",
                    generation,
                    one_local_volume,
                    {pod("a").mounts(claim("a")), pod("b").mounts(claim("b"))},
                    {"n2", ""},
                    "0/2 nodes are available: 2 node(s) didn't find available persistent volumes to bind."});
    rows.push_back({"a second pod finds the bound volume of its claim",
                    generation,
                    one_local_volume,
                    {pod("a").mounts(claim("a")), pod("b").mounts(claim("a"))},
                    {"n2", "n2"}});
    rows.push_back({"a volume is made on the first pod's node, and nowhere else",
                    generation,
                    one_provisioner,
                    {pod("a").cpu("1").mounts(claim("a")), pod("b").cpu("1").mounts(claim("a"))},
                    {"n1", "n1"}});
    rows.push_back({"without nodes there is no node",
                    generation,
                    [](State&) {},
                    {pod("a")},
                    {""},
                    "no nodes available to schedule pods"});
  }
  rows.push_back({"today a nominated node comes first",
                  kToday,
                  two_nodes,
                  {pod("a").cpu("1"), nominated(pod("b").cpu("1"), "n1")},
                  {"n1", "n1"}});
  rows.push_back({"v1.16 has no preference for it",
                  kClassic,
                  two_nodes,
                  {pod("a").cpu("1"), nominated(pod("b").cpu("1"), "n1")},
                  {"n1", "n2"}});
  rows.push_back({"a nominated node that is full is not taken",
                  kToday,
                  two_nodes,
                  {pod("a").cpu("2"), nominated(pod("b").cpu("1"), "n1")},
                  {"n1", "n2"}});
  rows.push_back({"a PreFilter's refusal is said without numbers",
                  kToday,
                  two_nodes,
                  {pod("a").mounts(claim("lost"))},
                  {""},
                  "0/2 nodes are available: persistentvolumeclaim \"lost\" not found."});
  rows.push_back({"v1.16 fails a pod whose claim is missing",
                  kClassic,
                  two_nodes,
                  {pod("a").mounts(claim("lost"))},
                  {""},
                  "persistentvolumeclaim \"lost\" not found"});
  return rows;
}

}  // namespace

TEST_CASE("Placer: pods are placed one after another") {
  for (const Row& row : rows()) {
    CAPTURE(row.sentence);
    CAPTURE(row.generation == kToday);
    TrialCluster trial(row.generation);
    row.cluster(trial.state);
    Placer placer(trial.state, trial.engines, {});
    Nodes nodes;
    std::string why;
    for (const Pod& one : row.pods) {
      const winnow::Placement placement = placer.place(one);
      nodes.push_back(placement.node);
      why = placement.why;
      CHECK(placement.node.empty() == !placement.reasons.empty());
    }
    CHECK(nodes == row.nodes);
    CHECK(why == row.last_why);
    CHECK(trial.state.pod_count() == static_cast<std::size_t>(std::ranges::count_if(
                                         nodes, [](const auto& name) { return name != ""; })));
  }
}

TEST_CASE("Placer: a claim that a pod names twice takes a volume, and stays bound to it") {
  for (const Generation generation : {kClassic, kToday}) {
    TrialCluster trial(generation);
    one_provisioner(trial.state);
    trial.state.volumes.set(
        PersistentVolume(pv("disk").of_class("fast").size("10Gi").access("ReadWriteOnce")));
    Placer placer(trial.state, trial.engines, {});
    // Upstream finds a volume for the first mention, and promises one to be made for the second.
    CHECK(placer.place(pod("a").mounts(claim("a")).mounts(claim("a"))).node == "n1");
    const PersistentVolumeClaim& taken = *trial.state.volumes.claim("default", "a");
    CHECK(taken.volume_name == "disk");
    CHECK(taken.metadata.annotations.at("volume.kubernetes.io/selected-node") == "n1");
  }
}

TEST_CASE("Placer: devices go to the claims of the pods, and to their extended resources") {
  TrialCluster trial(kToday);
  two_nodes(trial.state);
  ObjectWriter<DeviceClass>::set(
      trial.state,
      {.metadata = {.name = "gpu"}, .selectors = {}, .extended_resource_name = "example.com/gpu"});
  ObjectWriter<ResourceSlice>::set(trial.state, gpus_of("n1", 2));
  for (const char* const name : {"one", "two"})
    ObjectWriter<ResourceClaim>::set(trial.state, simple_claim(name));
  Placer placer(trial.state, trial.engines, {});
  CHECK(placer.place(claiming(pod("a").uid("uid-a"), {"one"})).node == "n1");
  const winnow::Placement asks = placer.place(pod("b").uid("uid-b").asks("example.com/gpu", "1"));
  CHECK(asks.node == "n1");
  CHECK(asks.reserved.new_resource_claims.size() == 1);
  const winnow::Placement last = placer.place(claiming(pod("c").uid("uid-c"), {"two"}));
  CHECK(last.why.contains("2 cannot allocate all claims"));
  // Another pod with the first claim goes where its devices are.
  CHECK(placer.place(claiming(pod("d").uid("uid-d"), {"one"})).node == "n1");
}

TEST_CASE("Placer: a pod for which nobody has a profile goes nowhere") {
  TrialCluster trial(kToday);
  two_nodes(trial.state);
  Pod alien = pod("a");
  alien.spec.scheduler_name = "volcano";
  const winnow::Placement placement = Placer(trial.state, trial.engines, {}).place(alien);
  CHECK(placement.node == "");
  CHECK(placement.why == "profile not found for scheduler name \"volcano\"");
}

TEST_CASE("Placer: reasons are counted by nodes") {
  TrialCluster trial(kToday);
  two_nodes(trial.state);
  trial.state.set_node(roomy("n3", "8").taint("gpu", "", "NoSchedule"));
  const winnow::Placement placement =
      Placer(trial.state, trial.engines, {}).place(pod("a").cpu("4").memory("128Gi"));
  using Reasons = std::vector<std::pair<std::string, std::size_t>>;
  CHECK(placement.reasons == Reasons{{"Insufficient cpu", 2},
                                     {"Insufficient memory", 2},
                                     {"node(s) had untolerated taint(s)", 1}});
}

TEST_CASE("Placer: with alwaysCheckAllPredicates the reasons of all rules that fail are counted") {
  TrialCluster trial(kClassic);
  LoadedRules all = default_rules_of(kClassic);
  all.sets.front().always_check_all_predicates = true;
  const Engines engines(all.sets, trial.workers);
  trial.state.set_node(roomy("n1", "1").taint("dedicated", "x", "NoSchedule"));
  trial.state.set_node(roomy("n2", "1"));
  Placer placer(trial.state, engines, {});
  const winnow::Placement nowhere = placer.place(pod("a").cpu("2"));
  CHECK(nowhere.why ==
        "0/2 nodes are available: 1 node(s) had taints that the pod didn't tolerate, 2 Insufficient cpu.");
  CHECK(nowhere.reasons ==
        std::vector<std::pair<std::string, std::size_t>>{
            {"Insufficient cpu", 2}, {"node(s) had taints that the pod didn't tolerate", 1}});
}

TEST_CASE("Placer: a seed draws as the verbs do") {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    TrialCluster trial(kToday);
    for (int i = 0; i < 20; ++i) trial.state.set_node(roomy("n" + std::to_string(i), "2"));
    Placer placer(trial.state, trial.engines, {.seed = seed});
    const NodePicker picker(seed);
    for (int i = 0; i < 10; ++i) {
      const Pod one = pod("p" + std::to_string(i)).uid("uid-" + std::to_string(i)).cpu("1");
      const View view(trial.state);
      const std::vector<NodeId> nodes = view.all_nodes();
      const Request request{.pod = one, .view = view, .nodes = nodes};
      const Engine& engine = *trial.engines.find(one);
      PassTimes times;
      const FeasibleNodes judged = find_feasible_nodes(request, engine, times);
      const auto best = pick_best(request, judged.filtered, engine, picker, pod_key_of(one), times);
      REQUIRE(best);
      const std::string expected(view.node_name(nodes[best->place()]));
      const winnow::Placement placement = placer.place(one);
      CHECK(placement.node == expected);
      CHECK(placement.total == best->totals[best->picked]);
    }
  }
}

TEST_CASE("Placer: with preemption the least important pods leave") {
  for (const Generation generation : {kClassic, kToday}) {
    CAPTURE(generation == kToday);
    TrialCluster trial(generation);
    two_nodes(trial.state);
    trial.state.set_pod(important(pod("low").cpu("2").on("n1"), 5));
    trial.state.set_pod(important(pod("lower").cpu("2").on("n2"), 1));
    const Pod high = important(pod("high").cpu("1"), 10);

    CHECK(Placer(trial.state, trial.engines, {}).place(high).node == "");
    CHECK(trial.state.pod_count() == 2);
    const winnow::Placement placement = Placer(trial.state, trial.engines, {.preemption = true}).place(high);
    CHECK(placement.node == "n2");
    REQUIRE(placement.victims.size() == 1);
    CHECK(placement.victims.front().metadata.name == "lower");
    CHECK(placement.victims.front().spec.node_name == "n2");
    CHECK(trial.state.pod_count() == 2);
    CHECK(trial.state.find_pod("default", "lower") == winnow::kNone);
  }
}

}  // namespace winnow::test
