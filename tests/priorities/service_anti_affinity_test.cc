#include <doctest/doctest.h>

#include "priorities/rules.h"
#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test {
namespace {

using Named = std::map<std::string, std::int64_t>;

/// Nodes a and b in rack 1, c in rack 2, d in none; pods of the app "web".
struct ZonedCluster {
  ZonedCluster() : state(kExact) {
    state.set_node(node("a").label("rack", "1"));
    state.set_node(node("b").label("rack", "1"));
    state.set_node(node("c").label("rack", "2"));
    state.set_node(node("d"));
    service("web", {{"app", "web"}});
  }
  void service(const std::string& name, const StringMap& selector) {
    state.workloads.set(WorkloadKind::kService, meta("default", name), selector);
  }
  void run(const std::string& node, int pods, const std::string& app = "web") {
    for (int i = 0; i < pods; ++i)
      state.set_pod(test::pod(app + node + std::to_string(i)).label("app", app).label("all", "").on(node));
  }
  Scores ask(const std::vector<std::string>& nodes = {}) const {
    return score(*priorities::find_classic_taking("serviceAntiAffinity"), View(state), pod,
                 ServiceAntiAffinityLabel{"rack"}, nodes);
  }

  State state;
  Pod pod = test::pod("new").label("app", "web").label("all", "");
};

}  // namespace

TEST_CASE("serviceAntiAffinity: the fewer of the service's pods under a value, the better") {
  ZonedCluster cluster;
  cluster.run("a", 1);
  cluster.run("b", 1);
  cluster.run("c", 6);
  const Scores given = cluster.ask();
  CHECK(given.raw == Named{{"a", 1}, {"b", 1}, {"c", 6}, {"d", 0}});
  // 10*((8-2)/8) = 7.5, 10*((8-6)/8) = 2.5; without the label 0.
  CHECK(given.scores == Named{{"a", 7}, {"b", 7}, {"c", 2}, {"d", 0}});
  // Over the nodes asked about only: 10*((7-1)/7) = 8.57, 10*((7-6)/7) = 1.43.
  CHECK(cluster.ask({"a", "c"}).scores == Named{{"a", 8}, {"c", 1}});
  // Pods on nodes without the label count in the total: 10*((10-2)/10), 10*((10-6)/10).
  cluster.run("d", 2);
  CHECK(cluster.ask().scores == Named{{"a", 8}, {"b", 8}, {"c", 4}, {"d", 0}});
}

TEST_CASE("serviceAntiAffinity: without pods to count nodes with the label get 10") {
  ZonedCluster cluster;
  const Named all = {{"a", 10}, {"b", 10}, {"c", 10}, {"d", 0}};
  CHECK(cluster.ask().scores == all);
  cluster.run("a", 3, "db");
  CHECK(cluster.ask().scores == all);
  cluster.pod.metadata.labels = {{"app", "nothing-selects-this"}};
  cluster.run("a", 2);
  CHECK(cluster.ask().scores == all);
}

TEST_CASE("serviceAntiAffinity: only the first service by name is asked about") {
  ZonedCluster cluster;
  cluster.run("a", 1);
  cluster.run("c", 3, "db");
  cluster.service("all", {{"all", ""}});
  CHECK(cluster.ask().raw == Named{{"a", 1}, {"b", 0}, {"c", 3}, {"d", 0}});
  cluster.service("aaa", {{"app", "web"}});
  CHECK(cluster.ask().raw == Named{{"a", 1}, {"b", 0}, {"c", 0}, {"d", 0}});
}

TEST_CASE("serviceAntiAffinity: pods that are being deleted or elsewhere do not count") {
  ZonedCluster cluster;
  cluster.state.set_pod(pod("x").label("app", "web").on("a").deleting());
  cluster.state.set_pod(pod("y").label("app", "web").in("other").on("a"));
  CHECK(cluster.ask().raw == Named{{"a", 0}, {"b", 0}, {"c", 0}, {"d", 0}});
}

TEST_CASE("ServiceSpreadingPriority scores as SelectorSpreadPriority does, controllers and all") {
  ZonedCluster cluster;
  cluster.run("a", 3);
  cluster.run("b", 5);
  cluster.state.workloads.set(WorkloadKind::kReplicaSet, meta("default", "rs"),
                              LabelSelector{.match_labels = {{"all", ""}}});
  const Scores spreading = score("ServiceSpreadingPriority", View(cluster.state), cluster.pod);
  const Scores selector = score("SelectorSpreadPriority", View(cluster.state), cluster.pod);
  CHECK(spreading.raw == selector.raw);
  CHECK(spreading.scores == selector.scores);
  CHECK(spreading.scores == Named{{"a", 4}, {"b", 0}, {"c", 10}, {"d", 10}});
}

}  // namespace winnow::test
