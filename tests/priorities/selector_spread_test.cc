#include <doctest/doctest.h>

#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test {
namespace {

using Named = std::map<std::string, std::int64_t>;
const char* const kZone = "failure-domain.beta.kubernetes.io/zone";
const char* const kRegion = "failure-domain.beta.kubernetes.io/region";
const char* const kNewZone = "topology.kubernetes.io/zone";
const char* const kNewRegion = "topology.kubernetes.io/region";

/// A pod "new" of the app "web", and running pods of the same app.
struct Cluster {
  explicit Cluster(const std::vector<Node>& nodes, State::Options options = kExact) : state(options) {
    for (const Node& node : nodes) state.set_node(node);
  }
  Cluster& service(const std::string& ns, const std::string& name, const StringMap& selector) {
    state.workloads.set(WorkloadKind::kService, meta(ns, name), selector);
    return *this;
  }
  Cluster& run(const std::string& node, int pods) {
    for (int i = 0; i < pods; ++i)
      state.set_pod(test::pod(node + "-" + std::to_string(i)).label("app", "web").on(node));
    return *this;
  }
  Named raw() const { return score("SelectorSpreadPriority", View(state), pod).raw; }
  Named scores(const std::vector<std::string>& nodes = {}) const {
    return score("SelectorSpreadPriority", View(state), pod, nodes).scores;
  }

  State state;
  Pod pod = test::pod("new").label("app", "web");
};

}  // namespace

TEST_CASE("counts 3, 5 and 10 give 7, 5 and 0") {
  Cluster cluster({node("a"), node("b"), node("c"), node("d")});
  cluster.service("default", "web", {{"app", "web"}});
  cluster.run("a", 3).run("b", 5).run("c", 10);
  CHECK(cluster.raw() == Named{{"a", 3}, {"b", 5}, {"c", 10}, {"d", 0}});
  CHECK(cluster.scores() == Named{{"a", 7}, {"b", 5}, {"c", 0}, {"d", 10}});
  // The maximum is taken over the nodes asked about: 10*(5-3)/5 = 4.
  CHECK(cluster.scores({"a", "b"}) == Named{{"a", 4}, {"b", 0}});
}

TEST_CASE("where nothing selects the pod every node gets 10") {
  Cluster cluster({node("a"), node("b").label(kZone, "z")});
  cluster.run("a", 3);
  CHECK(cluster.scores() == Named{{"a", 10}, {"b", 10}});
  cluster.service("default", "db", {{"app", "db"}});
  cluster.service("elsewhere", "web", {{"app", "web"}});
  cluster.service("default", "empty", {});
  CHECK(cluster.scores() == Named{{"a", 10}, {"b", 10}});
}

TEST_CASE("a service's selector that is there and empty asks for every pod, an absent one for none") {
  Cluster cluster({node("a"), node("b")});
  cluster.run("a", 2);
  cluster.state.set_pod(pod("db").label("app", "db").on("b"));
  cluster.state.workloads.set_service(meta("default", "none"), std::nullopt);
  CHECK(cluster.raw() == Named{{"a", 0}, {"b", 0}});
  cluster.state.workloads.set_service(meta("default", "all"), StringMap());
  CHECK(cluster.raw() == Named{{"a", 2}, {"b", 1}});
}

TEST_CASE("pods that are counted") {
  struct Row {
    const char* sentence;
    Pod there;
    std::int64_t counted;
  };
  const Row rows[] = {
      {"the service's", pod("x").label("app", "web").label("more", "y").on("a"), 1},
      {"another label", pod("x").label("app", "db").on("a"), 0},
      {"another namespace", pod("x").in("elsewhere").label("app", "web").on("a"), 0},
      {"one being deleted", pod("x").label("app", "web").deleting().on("a"), 0},
      {"one that has ended", pod("x").label("app", "web").phase("Succeeded").on("a"), 0},
      {"one that waits", pod("x").label("app", "web"), 0},
      {"one on a node that is gone", pod("x").label("app", "web").on("gone"), 0},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    Cluster cluster({node("a")});
    cluster.service("default", "web", {{"app", "web"}});
    cluster.state.set_pod(row.there);
    CHECK(cluster.raw().at("a") == row.counted);
  }
}

TEST_CASE("a pod must match the selectors of all that select the new one") {
  Cluster cluster({node("a")});
  cluster.pod = pod("new").label("app", "web").label("track", "stable");
  cluster.state.set_pod(pod("both").label("app", "web").label("track", "stable").on("a"));
  cluster.state.set_pod(pod("one").label("app", "web").label("track", "canary").on("a"));
  cluster.service("default", "web", {{"app", "web"}});
  CHECK(cluster.raw().at("a") == 2);
  const std::optional<LabelSelector> stable = LabelSelector{{{"track", "stable"}}, {}};
  SUBCASE("a ReplicaSet") {
    cluster.state.workloads.set(WorkloadKind::kReplicaSet, meta("default", "w"), stable);
  }
  SUBCASE("a StatefulSet") {
    cluster.state.workloads.set(WorkloadKind::kStatefulSet, meta("default", "w"), stable);
  }
  SUBCASE("a ReplicationController") {
    cluster.state.workloads.set(WorkloadKind::kReplicationController, meta("default", "w"),
                                stable->match_labels);
  }
  SUBCASE("another service") { cluster.service("default", "stable", stable->match_labels); }
  CHECK(cluster.raw().at("a") == 1);
}

TEST_CASE("what does not select the new pod does not matter") {
  Cluster cluster({node("a")});
  cluster.service("default", "web", {{"app", "web"}}).run("a", 2);
  Workloads& workloads = cluster.state.workloads;
  workloads.set(WorkloadKind::kReplicaSet, meta("default", "db"),
                std::optional(LabelSelector{{{"app", "db"}}, {}}));
  workloads.set(WorkloadKind::kReplicaSet, meta("elsewhere", "web"),
                std::optional(LabelSelector{{{"no", "x"}}, {}}));
  workloads.set(WorkloadKind::kReplicaSet, meta("default", "empty"), std::optional(LabelSelector{}));
  workloads.set(WorkloadKind::kStatefulSet, meta("default", "none"), std::optional<LabelSelector>());
  CHECK(cluster.raw().at("a") == 2);
  // Labels count and owners do not: a controller that no longer owns a pod still selects it.
  workloads.set(WorkloadKind::kReplicaSet, meta("default", "old"),
                std::optional(LabelSelector{{}, {{"app", "NotIn", {"db"}}}}));
  CHECK(cluster.raw().at("a") == 2);
}

TEST_CASE("selectors that are not valid") {
  Cluster cluster({node("a")});
  cluster.run("a", 2);
  cluster.state.set_pod(pod("other").label("app", "db").on("a"));
  SUBCASE("a service finds its pods by an invalid value, and then counts every pod") {
    cluster.pod = pod("new").label("app", "not valid");
    cluster.service("default", "web", {{"app", "not valid"}});
    CHECK(cluster.raw().at("a") == 3);
  }
  SUBCASE("one invalid ReplicaSet of the namespace hides the others") {
    Workloads& workloads = cluster.state.workloads;
    workloads.set(WorkloadKind::kReplicaSet, meta("default", "web"),
                  std::optional(LabelSelector{{{"app", "web"}}, {}}));
    CHECK(cluster.raw().at("a") == 2);
    workloads.set(WorkloadKind::kReplicaSet, meta("default", "bad"),
                  std::optional(LabelSelector{{}, {{"x", "Is", {}}}}));
    CHECK(cluster.raw().at("a") == 0);
    workloads.set(WorkloadKind::kStatefulSet, meta("default", "web"),
                  std::optional(LabelSelector{{{"app", "web"}}, {}}));
    CHECK(cluster.raw().at("a") == 2);  // The controllers of other kinds still count.
    workloads.remove(WorkloadKind::kStatefulSet, "default", "web");
    workloads.remove(WorkloadKind::kReplicaSet, "default", "bad");
    CHECK(cluster.raw().at("a") == 2);
  }
}

TEST_CASE("a pod without labels has no controllers, but a service never selects it either") {
  Cluster cluster({node("a")});
  cluster.pod = pod("new");
  cluster.state.set_pod(pod("there").on("a"));
  cluster.state.workloads.set(WorkloadKind::kReplicaSet, meta("default", "w"),
                              std::optional(LabelSelector{{}, {{"x", "DoesNotExist", {}}}}));
  CHECK(cluster.raw().at("a") == 0);
}

TEST_CASE("a zone weighs two thirds, the node one") {
  const auto spread = [](const std::vector<Node>& nodes, const std::vector<int>& pods) {
    Cluster cluster(nodes);
    cluster.service("default", "web", {{"app", "web"}});
    for (std::size_t i = 0; i < nodes.size(); ++i) cluster.run(nodes[i].metadata.name, pods[i]);
    return cluster.scores();
  };
  const Node a = node("a").label(kZone, "z1"), b = node("b").label(kZone, "z1"),
             c = node("c").label(kZone, "z2");
  const Node d = node("d");
  // The maxima are 2 on a node and 2 in a zone. a: 0 and 0. b: 10*1/3 + 0*2/3 = 3.3. c: 5*1/3 + 5*2/3 = 5.
  // d has no zone, so its node's 10 counts alone.
  CHECK(spread({a, b, c, d}, {2, 0, 1, 0}) == Named{{"a", 0}, {"b", 3}, {"c", 5}, {"d", 10}});
  // A node without a zone counts for the maximum of nodes, and for no zone.
  // a: 10*(4-1)/4*1/3 + 10*(1-1)/1*2/3 = 2.5.
  CHECK(spread({a, b, c, d}, {1, 0, 0, 4}) == Named{{"a", 2}, {"b", 3}, {"c", 10}, {"d", 0}});
  // All pods are outside of zones, and a zone without pods gets 10: 10*1/3 + 10*2/3.
  CHECK(spread({a, c, d}, {0, 0, 1}) == Named{{"a", 10}, {"c", 10}, {"d", 0}});
  // All pods are in one zone: every node of it loses the zone's two thirds.
  CHECK(spread({a, b}, {1, 0}) == Named{{"a", 0}, {"b", 3}});
  // a: 10*(3-1)/3*1/3 + 10*(3-1)/3*2/3 = 6.67. c: 0.
  CHECK(spread({a, b, c}, {1, 0, 3}) == Named{{"a", 6}, {"b", 7}, {"c", 0}});
}

TEST_CASE("zones are told by region and zone, from the labels that count") {
  struct Row {
    const char* sentence;
    Node a, b;
    bool exact, shared;
  };
  const Row rows[] = {
      {"one zone", node("a").label(kZone, "z"), node("b").label(kZone, "z"), true, true},
      {"two zones", node("a").label(kZone, "z"), node("b").label(kZone, "y"), true, false},
      {"a region alone is a zone", node("a").label(kRegion, "r"), node("b").label(kRegion, "r"), true, true},
      {"one zone's name in two regions", node("a").label(kZone, "z").label(kRegion, "r"),
       node("b").label(kZone, "z").label(kRegion, "s"), true, false},
      {"a region is not a zone", node("a").label(kRegion, "z"), node("b").label(kZone, "z"), true, false},
      {"today's labels are not v1.16's", node("a").label(kNewZone, "z"), node("b").label(kNewZone, "z"), true,
       false},
      {"today's labels", node("a").label(kNewZone, "z"), node("b").label(kNewZone, "z"), false, true},
      {"today's region", node("a").label(kNewRegion, "r"), node("b").label(kRegion, "r"), false, true},
      {"an old and a new label are one", node("a").label(kNewZone, "z"), node("b").label(kZone, "z"), false,
       true},
      {"the old label is asked first", node("a").label(kNewZone, "z").label(kZone, "y"),
       node("b").label(kZone, "z"), false, false},
      {"label by label", node("a").label(kNewZone, "z").label(kRegion, "r"),
       node("b").label(kZone, "z").label(kNewRegion, "r"), false, true},
      {"empty labels are no zone", node("a").label(kZone, "").label(kRegion, ""), node("b").label(kZone, ""),
       true, false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    Cluster cluster({row.a, row.b}, row.exact ? kExact : kDefaults);
    cluster.service("default", "web", {{"app", "web"}}).run("a", 1);
    // In a's zone b loses two thirds: 10*1/3 = 3.
    CHECK(cluster.scores().at("b") == (row.shared ? 3 : 10));
  }
}

}  // namespace winnow::test
