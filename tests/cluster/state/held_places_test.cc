// Which places are held, for whom, on what evidence and since when.
#include "cluster/state/held_places.h"

#include <doctest/doctest.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "cluster/state/state.h"
#include "tests/builders.h"

namespace winnow::test::held_places_test {
namespace {

using std::chrono::seconds;

const PodCondition kUnschedulable{"PodScheduled", "False", "Unschedulable", "0/1 nodes are available: 1 x."};
const PodCondition kGated{"PodScheduled", "False", "SchedulingGated", ""};

Pod waits(const std::string& name, const std::string& nominated = "", const std::string& by = "") {
  Pod made = pod(name).uid("u-" + name).cpu("3");
  made.metadata.resource_version = "5";
  made.status.nominated_node_name = nominated;
  made.status.nominated_by = by;
  return made;
}

struct Cluster {
  State state;
  AssumedPods assumed{state};
  HeldClocks now{.steady = AssumedPods::Time(seconds(1000)), .wall = std::chrono::sys_seconds(seconds(5000))};
  AssumedPods::Time ago(int count) const { return now.steady - seconds(count); }

  std::string told() const {
    std::string text;
    for (const HeldPlace& place : held_places(state, &assumed, now)) text += to_text(place) + "\n";
    return text;
  }
};

TEST_SUITE("held places") {
  TEST_CASE("each kind of evidence, in words") {
    struct Row {
      const char* sentence;
      std::function<void(Cluster&)> happens;
      const char* says;
    };
    const Row rows[] = {
        {"nobody holds anything", [](Cluster& c) { c.assumed.set(waits("g0"), c.now.steady); }, ""},
        {"Winnow nominates, and has not written it yet",
         [](Cluster& c) {
           c.assumed.set(waits("g0"), c.now.steady);
           c.assumed.assume_nominated("default", "g0", "u-g0", "node-2", std::nullopt, c.ago(40));
         },
         "3 cpu on node-2 are held for default/g0, nominated 40 s ago, never tried\n"},
        {"the pod was tried before",
         [](Cluster& c) {
           c.assumed.set(waits("g0"), c.now.steady);
           c.assumed.assume_nominated("default", "g0", "u-g0", "node-2", kUnschedulable, c.ago(40));
         },
         "3 cpu on node-2 are held for default/g0, nominated 40 s ago, not tried since\n"},
        {"it was tried since, and the place is in doubt",
         [](Cluster& c) {
           c.assumed.set(waits("g0"), c.now.steady);
           c.assumed.assume_nominated("default", "g0", "u-g0", "node-2", std::nullopt, c.ago(40));
           Pod refused = waits("g0", "node-2", "winnow-nominator");
           refused.status.conditions = {kUnschedulable};
           c.assumed.set(refused, c.now.steady);
         },
         "3 cpu on node-2 are held for default/g0, nominated 40 s ago\n"},
        {"a restart finds the nomination: it is as old as the API says",
         [](Cluster& c) {
           Pod found = waits("g0", "node-2", "winnow-nominator");
           found.status.nominated_at = 4700;
           c.assumed.set(found, c.now.steady);
           c.assumed.assume_nominated("default", "g0", "u-g0", "node-2", std::nullopt, c.ago(2));
         },
         "3 cpu on node-2 are held for default/g0, nominated 5 min ago, never tried\n"},
        {"another Winnow nominates: this one does not assume",
         [](Cluster& c) {
           Pod found = waits("g0", "node-2", "winnow-nominator");
           found.status.nominated_at = 4960;
           found.status.conditions = {kGated};
           c.assumed.set(found, c.now.steady);
         },
         "3 cpu on node-2 are held for default/g0, nominated 40 s ago, never tried\n"},
        {"kube-scheduler nominates what it has tried",
         [](Cluster& c) {
           Pod found = waits("g0", "node-2", "kube-scheduler");
           found.status.nominated_at = 4960;
           c.assumed.set(found, c.now.steady);
         },
         "3 cpu on node-2 are held for default/g0, nominated by kube-scheduler 40 s ago\n"},
        {"an autoscaler does, and nobody says when",
         [](Cluster& c) { c.assumed.set(waits("g0", "node-2", "karpenter"), c.now.steady); },
         "3 cpu on node-2 are held for default/g0, nominated by karpenter, never tried\n"},
        {"it is not told who", [](Cluster& c) { c.assumed.set(waits("g0", "node-2"), c.now.steady); },
         "3 cpu on node-2 are held for default/g0, nominated, never tried\n"},
        {"an answer", [](Cluster& c) { c.assumed.assume(waits("g0"), "node-2", c.ago(3)); },
         "3 cpu on node-2 are held for default/g0, chosen 3 s ago in an answer to kube-scheduler\n"},
        {"a binding",
         [](Cluster& c) {
           c.assumed.assume(waits("g0"), "node-2", c.ago(3));
           c.assumed.set_bound("default", "g0", "u-g0", "node-2");
         },
         "3 cpu on node-2 are held for default/g0, bound 3 s ago, and not seen there yet\n"},
        {"a pod that is there holds nothing",
         [](Cluster& c) {
           c.assumed.assume(waits("g0"), "node-2", c.ago(3));
           Pod bound = waits("g0");
           bound.spec.node_name = "node-2";
           c.assumed.set(bound, c.now.steady);
         },
         ""},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      Cluster cluster;
      cluster.state.set_node(node("node-2").cpu("4"));
      row.happens(cluster);
      CHECK(cluster.told() == row.says);
    }
  }

  TEST_CASE("what it takes, and pods that ask for nothing") {
    Cluster cluster;
    Pod large = waits("a", "n");
    large.spec = PodBuilder("x").cpu("1500m").memory("1536Mi").asks("example.com/gpu", "2").object().spec;
    cluster.state.set_pod(large);
    cluster.state.set_pod(PodBuilder("b").uid("b").object());
    Pod nothing = pod("c").uid("c");
    nothing.status.nominated_node_name = "m";
    cluster.state.set_pod(nothing);
    CHECK(cluster.told() ==
          "a place on m is held for default/c, nominated, never tried\n"
          "1500m cpu, 1.5Gi memory, 2 example.com/gpu on n are held for default/a, nominated, never tried\n");
  }

  TEST_CASE("a file has no clock") {
    Cluster cluster;
    Pod found = waits("g0", "node-2", "kube-scheduler");
    found.status.nominated_at = 4960;
    cluster.state.set_pod(found);
    const auto places = held_places(cluster.state, nullptr, std::nullopt);
    REQUIRE(places.size() == 1);
    CHECK_FALSE(places[0].seconds);
    CHECK_FALSE(places[0].counted);
    CHECK(to_text(places[0]) == "3 cpu on node-2 are held for default/g0, nominated by kube-scheduler");
  }

  TEST_CASE("what is counted, and the oldest that was never tried") {
    Cluster cluster;
    const auto figures = [&] { return held_figures(cluster.state, cluster.assumed, cluster.now); };
    CHECK(figures().untried_seconds == 0);
    for (const char* name : {"a", "b"}) {
      cluster.assumed.set(waits(name), cluster.now.steady);
      cluster.assumed.assume_nominated("default", name, std::string("u-") + name, "n",
                                       *name == 'a' ? std::optional<PodCondition>() : kUnschedulable,
                                       cluster.ago(*name == 'a' ? 40 : 400));
    }
    cluster.assumed.assume(waits("c"), "n", cluster.ago(700));
    Pod other = waits("d", "n", "kube-scheduler");
    other.status.nominated_at = 1;
    cluster.assumed.set(other, cluster.now.steady);
    CHECK(figures().nominations == 2);
    CHECK(figures().assumptions == 1);
    CHECK(figures().other_nominations == 1);
    CHECK(figures().untried_seconds == 40);
  }
}

}  // namespace
}  // namespace winnow::test::held_places_test
