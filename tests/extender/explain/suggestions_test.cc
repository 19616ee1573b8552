// What would help a pod that fits nowhere: each kind of change, two together, and a new node.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "extender/config/gates.h"
#include "extender/config/rules.h"
#include "extender/engine/engines.h"
#include "extender/engine/workers.h"
#include "extender/explain/explain.h"
#include "extender/explain/suggestion_text.h"
#include "tests/builders.h"
#include "tests/devices.h"
#include "tests/storage.h"

namespace winnow::test {
namespace {

using Advice = std::vector<std::string>;

constexpr const char* kByZone = "topology.kubernetes.io/zone";

Explanation asked_about(const State& state, const Pod& pod, const std::vector<std::string>& names = {}) {
  static const LoadedRules kRules = named_rules(kDefaultRules, Gates()).value();
  Workers workers(0);
  const Engines engines(kRules.sets, workers);
  const View view(state);
  return explain(engines, view, pod, names.empty() ? view.all_nodes() : find_nodes(view, names), {});
}

/// What would help, but for a new node; and behind it why no new node does.
Advice what_helps(const State& state, const Pod& pod, const std::vector<std::string>& names = {}) {
  const Help help = asked_about(state, pod, names).help;
  Advice texts;
  for (const Suggestion& one : help.suggestions)
    if (one.change.kind != "node") texts.push_back(to_text(one));
  return texts;
}

struct SmallCluster : State {
  SmallCluster() : State({.generation = Generation::kToday}) {}

  void add(NodeBuilder node) { set_node(node.cpu("4").memory("8Gi").pods("110")); }
  void hold(const std::string& node, const std::string& cpu = "3") {
    set_pod(test::pod("on-" + node).on(node).cpu(cpu));
  }
};

Pod agent_on(const std::string& node, PodBuilder builder) {
  Pod made = builder.in("infra").on(node);
  made.metadata.name = "agent-" + node;
  made.metadata.owner_references = {{"apps/v1", "DaemonSet", "agent", "agent-uid", true}};
  return made;
}

TEST_CASE("a cordon is one thing, though the node has a taint of it too") {
  SmallCluster state;
  state.add(node("full").label("pool", "db"));
  state.hold("full");
  state.add(node("cordoned")
                .label("pool", "db")
                .cordoned()
                .taint("node.kubernetes.io/unschedulable", "", "NoSchedule"));
  const Pod asked = pod("web").cpu("2").selects_nodes("pool", "db");
  CHECK(what_helps(state, asked) == Advice{"uncordon cordoned", "ask for 1 cpu, not 2: it goes to full"});
  const std::vector<FailureGroup> groups = group_failures(asked_about(state, asked));
  REQUIRE_FALSE(groups.empty());
  for (const FailureGroup& group : groups) CHECK(group.behind.empty());
}

TEST_CASE("a value that is nearly a node's comes first, and labels that others have are not given") {
  SmallCluster state;
  state.add(node("a").label("pool", "general").label("disk", "ssd"));
  state.add(node("b").label("pool", "general").label(kByZone, "z1"));
  state.hold("a");
  CHECK(what_helps(state, pod("web").selects_nodes("pool", "genral")) ==
        Advice{"ask for pool=general, not pool=genral (nodeSelector): it goes to b",
               "drop nodeSelector pool=genral: it goes to b"});
  // The one with the label is full: to label another would be no mending.
  CHECK(what_helps(state, pod("web").cpu("2").selects_nodes("disk", "ssd")) ==
        Advice{"ask for 1 cpu, not 2: it goes to a", "drop nodeSelector disk=ssd: it goes to b"});
  CHECK(what_helps(state, pod("web").selects_nodes("gpu", "yes")) ==
        Advice{"drop nodeSelector gpu=yes: it goes to b", "give a the label gpu=yes"});
  CHECK(what_helps(state, pod("web").selects_nodes(kByZone, "z2")) ==
        Advice{"drop nodeSelector topology.kubernetes.io/zone=z2: it goes to b"});
}

TEST_CASE("a host port can be done without, and a new node has DaemonSets' pods first") {
  SmallCluster state;
  state.add(node("a")
                .label("node.kubernetes.io/instance-type", "m6i")
                .label("pool", "system")
                .label(kByZone, "z1"));
  state.set_pod(pod("web-0").on("a").host_port(80));
  CHECK(asked_about(state, pod("web").host_port(80)).help.suggestions.back().change.kind == "node");
  CHECK(to_text(asked_about(state, pod("web").host_port(80)).help.suggestions.back()) ==
        "add a node like a (pool system, m6i, z1)");
  state.set_pod(agent_on("a", pod("").host_port(9100)));
  const Help help = asked_about(state, pod("web").host_port(9100)).help;
  REQUIRE(help.suggestions.size() == 1);
  CHECK(to_text(help.suggestions[0]) == "do without host port 9100/TCP: it goes to a");
  REQUIRE(help.no_new_node);
  CHECK(
      to_text(*help.no_new_node) ==
      "One more node of the cluster's kinds is of no use, for the pod of DaemonSet infra/agent comes first.");
  CHECK_FALSE(help.fits_no_empty_node);
  // What DaemonSets request counts as well.
  state.hold("a");
  state.set_pod(agent_on("a", pod("").cpu("500m")));
  CHECK(asked_about(state, pod("big").cpu("3800m")).help.no_new_node->daemon_sets == Advice{"infra/agent"});
  CHECK(asked_about(state, pod("less").cpu("3500m")).help.suggestions.back().change.kind == "node");
}

TEST_CASE("terms about other pods can go, look elsewhere, or lose the label that they are about") {
  SmallCluster state;
  state.add(node("a").label(kByZone, "z1"));
  state.set_pod(pod("redis-0").in("data").on("a").label("app", "redis"));
  CHECK(what_helps(state, pod("cache").joins(pods_with({{"app", "redis"}}, kByZone))) ==
        Advice{"look for the pods of podAffinity app=redis by topology.kubernetes.io/zone in namespace data: "
               "it goes "
               "to a",
               "drop podAffinity app=redis by topology.kubernetes.io/zone: it goes to a"});
  state.set_pod(pod("vault").on("a").avoids(pods_with({{"team", "web"}}, kByZone)));
  CHECK(what_helps(state, pod("web").label("team", "web").label("app", "web")) ==
        Advice{"drop the pod's label team=web: it goes to a"});
  state.set_pod(pod("other").on("a").label("app", "db"));
  CHECK(what_helps(state, pod("db").avoids(pods_with({{"app", "db"}}, kByZone))) ==
        Advice{"drop podAntiAffinity app=db by topology.kubernetes.io/zone: it goes to a"});
}

TEST_CASE("a spread can be a wish, or leave out nodes that the pod cannot run on") {
  SmallCluster state;
  state.add(node("a").label(kByZone, "z1"));
  state.add(
      node("b").label(kByZone, "z2").taint("dedicated", "db", "NoSchedule").taint("own", "", "NoExecute"));
  state.set_pod(pod("web-0").on("a").label("app", "web"));
  CHECK(what_helps(state, pod("web-1").label("app", "web").spreads("rack", selects({{"app", "web"}}))) ==
        Advice{"spread over rack by ScheduleAnyway, not DoNotSchedule: it goes to a"});
  CHECK(what_helps(state, pod("web-1").label("app", "web").spreads(kByZone, selects({{"app", "web"}}))) ==
        Advice{
            "set nodeTaintsPolicy: Honor for the spread over topology.kubernetes.io/zone: it goes to a",
            "allow a maxSkew of 2 for topology.kubernetes.io/zone, not 1 (or ScheduleAnyway): it goes to a"});
}

TEST_CASE("a claim whose volume is elsewhere can be done without") {
  SmallCluster state;
  state.add(node("a").label(kByZone, "z1"));
  Storage storage;
  storage.claims = {pvc("data").bound_to("disk")};
  storage.volumes = {pv("disk").label(kByZone, "z2")};
  storage.put_into(state);
  CHECK(what_helps(state, pod("web").mounts(claim("data"))) ==
        Advice{"do without claim default/data: it goes to a"});
}

TEST_CASE("where no single change helps, two together are told") {
  SmallCluster state;
  state.add(node("memory").taint("dedicated", "memory", "NoSchedule"));
  state.hold("memory");
  const Help help = asked_about(state, pod("olap").cpu("2")).help;
  REQUIRE(help.suggestions.size() >= 1);
  CHECK(to_text(help.suggestions[0]) ==
        "both: tolerate the taint dedicated=memory:NoSchedule, and ask for 1 cpu, not 2: it goes to memory");

  SmallCluster alone;
  alone.add(node("a").label(kByZone, "z1"));
  const Pod joins =
      pod("web").joins(pods_with({{"app", "p"}}, kByZone)).joins(pods_with({{"app", "q"}}, kByZone));
  const Help terms = asked_about(alone, joins).help;
  REQUIRE(terms.suggestions.size() == 1);
  CHECK(to_text(terms.suggestions[0]) ==
        "both: drop podAffinity app=q by topology.kubernetes.io/zone, and drop podAffinity app=p by "
        "topology.kubernetes.io/zone: it goes to a");
  CHECK(heading_of(help).contains("together"));
}

namespace {

/// A claim that holds these devices of a node, for a pod.
ResourceClaim held_by(const std::string& pod, const std::string& node,
                      const std::vector<std::string>& devices) {
  ResourceClaim claim = simple_claim(pod + "-gpu");
  claim.allocation.emplace();
  for (const std::string& device : devices)
    claim.allocation->devices.push_back({.request = "r", .driver = "d", .pool = node, .device = device});
  claim.reserved_for = {{.api_group = "", .resource = "pods", .name = pod, .uid = ""}};
  return claim;
}

struct GpuCluster : SmallCluster {
  GpuCluster() {
    for (const std::string name : {"a", "b"}) {
      add(node(name));
      devices.set(gpus_of(name, 2));
    }
    objects.of<DeviceClass>().emplace(
        "gpu", DeviceClass{.metadata = {.name = "gpu"}, .selectors = {}, .extended_resource_name = {}});
  }
  Pod wants(std::int64_t count, const std::string& cpu = "1") {
    devices.set(simple_claim("mine", count));
    return claiming(test::pod("web").cpu(cpu), {"mine"});
  }
};

}  // namespace

TEST_CASE("of a pod that lacks devices the pods are named that hold enough of them") {
  GpuCluster state;
  state.devices.set(held_by("one", "a", {"gpu-0"}));
  state.devices.set(held_by("two", "a", {"gpu-1"}));
  state.devices.set(held_by("both", "b", {"gpu-0", "gpu-1"}));
  CHECK(what_helps(state, state.wants(1)) ==
        Advice{"stop pod default/one, whose claim default/one-gpu holds devices: it goes to a",
               "stop pod default/two, whose claim default/two-gpu holds devices: it goes to a",
               "stop pod default/both, whose claim default/both-gpu holds devices: it goes to b"});
  CHECK(what_helps(state, state.wants(2)) ==
        Advice{"stop pod default/both, whose claim default/both-gpu holds devices: it goes to b"});
  // Each node lacks more than one claim could give.
  CHECK(what_helps(state, state.wants(3)).empty());
}

TEST_CASE("a claim is named by itself where no pod uses it, and with another change where both are needed") {
  GpuCluster state;
  ResourceClaim idle = held_by("one", "a", {"gpu-0", "gpu-1"});
  idle.reserved_for.clear();
  state.devices.set(idle);
  state.remove_node("b");
  CHECK(what_helps(state, state.wants(2)) ==
        Advice{"have claim default/one-gpu give back its devices: it goes to a"});
  state.hold("a");
  CHECK(
      what_helps(state, state.wants(2, "2")) ==
      Advice{
          "both: ask for 1 cpu, not 2, and have claim default/one-gpu give back its devices: it goes to a"});
}

TEST_CASE("devices of several nodes help on each of them") {
  GpuCluster state;
  for (const std::string name : {"a", "b"}) CHECK(state.devices.remove_slice("gpus-" + name));
  ResourceSlice shared = gpus_of("net", 1);
  shared.node_name.clear();
  shared.all_nodes = true;
  state.devices.set(shared);
  state.devices.set(held_by("one", "net", {"gpu-0"}));
  const Help help = asked_about(state, state.wants(1)).help;
  REQUIRE(help.suggestions.size() == 1);
  CHECK(to_text(help.suggestions[0]).starts_with("stop pod default/one, whose claim default/one-gpu"));
  CHECK(help.suggestions[0].nodes == 2);
}

TEST_CASE("suggestions are about the nodes that are asked about") {
  SmallCluster state;
  state.add(node("a"));
  state.add(node("b"));
  state.hold("a", "3");
  state.hold("b", "2500m");
  const Help help = asked_about(state, pod("web").cpu("3"), {"a"}).help;
  REQUIRE_FALSE(help.suggestions.empty());
  CHECK(to_text(help.suggestions[0]) == "ask for 1 cpu, not 3: it goes to a");
  CHECK(help.suggestions[0].nodes == 1);
  CHECK(help.suggestions.back().nodes == 1);
}

TEST_CASE("why a new node does not help is size only where it is size") {
  SmallCluster state;
  state.add(node("a").label("pool", "general"));
  const auto why = [&](const Pod& asked) {
    const Help help = asked_about(state, asked).help;
    CHECK(help.fits_no_empty_node);
    return help.no_new_node ? to_text(*help.no_new_node) : "";
  };
  CHECK(
      why(pod("huge").cpu("64")) ==
      "No node of the cluster's kinds would hold it, even an empty one: wants 64 cpu: none of them is large "
      "enough, the largest has 4 (a).");
  CHECK(why(pod("web").selects_nodes("pool", "genral")) ==
        "One more node of the cluster's kinds would not help: nodeSelector pool=genral.");
}

}  // namespace
}  // namespace winnow::test
