#include <doctest/doctest.h>

#include "cluster/state/overlay.h"
#include "predicates/rules.h"
#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test {
namespace {

using Verdicts = std::map<std::string, std::string>;
const char* const kRefused = "unschedulable: node(s) didn't match service affinity";
const ServiceAffinityLabels kRackAndRow{{"rack", "row"}};

/// Nodes a (rack 1, row x), b (rack 1, row y), c (rack 2, row x) and d (neither label); a service for
/// app=web.
struct Cluster {
  Cluster() : state(kExact) {
    state.set_node(node("a").label("rack", "1").label("row", "x"));
    state.set_node(node("b").label("rack", "1").label("row", "y"));
    state.set_node(node("c").label("rack", "2").label("row", "x"));
    state.set_node(node("d"));
    state.workloads.set(WorkloadKind::kService, meta("default", "web"), StringMap{{"app", "web"}});
  }
  Cluster& run(const PodBuilder& pod) {
    state.set_pod(pod);
    return *this;
  }
  Verdicts judge(const Pod& pod, const Arguments& arguments = kRackAndRow) const {
    return test::judge("CheckServiceAffinity", View(state), pod, arguments);
  }
  State state;
};

PodBuilder web(std::string name) { return pod(std::move(name)).label("app", "web"); }

const Verdicts kAnywhere = {{"a", "fits"}, {"b", "fits"}, {"c", "fits"}, {"d", "fits"}};

}  // namespace

TEST_CASE("CheckServiceAffinity: the first pod's node says where the others go") {
  Cluster cluster;
  cluster.run(web("z").on("c")).run(web("m").on("b"));
  const Verdicts like_b = {{"a", kRefused}, {"b", "fits"}, {"c", kRefused}, {"d", kRefused}};
  CHECK(cluster.judge(web("new")) == like_b);
  // The first pod is the first by name. A pod that is being deleted counts too.
  cluster.run(web("c").on("c").deleting());
  CHECK(cluster.judge(web("new")) ==
        Verdicts{{"a", kRefused}, {"b", kRefused}, {"c", "fits"}, {"d", kRefused}});
}

TEST_CASE("CheckServiceAffinity: whose node counts") {
  Cluster cluster;
  CHECK(cluster.judge(web("new")) == kAnywhere);  // No other pod.
  cluster.run(web("pending"));
  cluster.run(web("elsewhere").in("other").on("a"));
  cluster.run(pod("unlike").label("app", "db").on("a"));
  CHECK(cluster.judge(web("new")) == kAnywhere);
  cluster.run(web("more").label("tier", "1").on("a"));
  // A pod with more labels than the new pod's counts as the first pod, one with fewer does not.
  CHECK(cluster.judge(web("new")).at("c") == kRefused);
  CHECK(cluster.judge(web("new").label("tier", "2")) == kAnywhere);
}

TEST_CASE("CheckServiceAffinity: without a service the other pods do not matter") {
  Cluster cluster;
  cluster.run(pod("first").label("app", "db").on("a"));
  CHECK(cluster.judge(pod("new").label("app", "db")) == kAnywhere);
  cluster.state.workloads.set(WorkloadKind::kService, meta("other", "db"), StringMap{{"app", "db"}});
  CHECK(cluster.judge(pod("new").label("app", "db")) == kAnywhere);
  cluster.state.workloads.set(WorkloadKind::kService, meta("default", "db"), StringMap{{"app", "db"}});
  CHECK(cluster.judge(pod("new").label("app", "db")).at("b") == kRefused);
}

TEST_CASE("CheckServiceAffinity: the pod's nodeSelector comes first") {
  Cluster cluster;
  cluster.run(web("first").on("b"));
  // The row comes from the pod's node selector, the rack from node b.
  CHECK(cluster.judge(web("new").selects_nodes("row", "x")) ==
        Verdicts{{"a", "fits"}, {"b", kRefused}, {"c", kRefused}, {"d", kRefused}});
  // Both come from the pod's node selector.
  CHECK(cluster.judge(web("new").selects_nodes("row", "x").selects_nodes("rack", "2")) ==
        Verdicts{{"a", kRefused}, {"b", kRefused}, {"c", "fits"}, {"d", kRefused}});
  // The node selector counts even without a service.
  CHECK(cluster.judge(pod("alone").selects_nodes("rack", "2").selects_nodes("other", "1")) ==
        Verdicts{{"a", kRefused}, {"b", kRefused}, {"c", "fits"}, {"d", kRefused}});
}

TEST_CASE("CheckServiceAffinity: a label that the first pod's node lacks is asked of nobody") {
  Cluster cluster;
  cluster.run(web("first").on("d"));
  CHECK(cluster.judge(web("new")) == kAnywhere);
  CHECK(cluster.judge(web("new"), ServiceAffinityLabels{{}}) == kAnywhere);
  // With a label that is named twice, upstream looks at other pods even if the pod's node selector has it.
  cluster.run(web("a-first").on("c"));
  CHECK(cluster.judge(web("new").selects_nodes("rack", "1"), ServiceAffinityLabels{{"rack", "rack"}}) ==
        Verdicts{{"a", "fits"}, {"b", "fits"}, {"c", kRefused}, {"d", kRefused}});
}

TEST_CASE("CheckServiceAffinity: it errs where the first pod's node is not known, and is asked") {
  Cluster cluster;
  cluster.run(web("a-first").on("gone")).run(web("b").on("b"));
  CHECK(cluster.judge(web("new")).at("a") == "error: node \"gone\" not found");
  CHECK(cluster.judge(web("new").selects_nodes("rack", "1").selects_nodes("row", "x")).at("a") == "fits");
  CHECK(cluster.judge(pod("serviceless").label("app", "db")) == kAnywhere);
}

TEST_CASE("CheckServiceAffinity: pods and nodes that only the request knows") {
  Cluster cluster;
  cluster.run(web("m").on("b"));
  Overlay overlay(cluster.state);
  overlay.add_pod(web("k").on("c"));
  CHECK(judge("CheckServiceAffinity", View(cluster.state, &overlay), web("new"), kRackAndRow).at("c") ==
        "fits");
  Overlay without(cluster.state);
  without.remove_pod("default", "m");
  CHECK(judge("CheckServiceAffinity", View(cluster.state, &without), web("new"), kRackAndRow) == kAnywhere);
  Overlay moved(cluster.state);
  moved.set_node(node("b").label("rack", "2").label("row", "x"));
  CHECK(judge("CheckServiceAffinity", View(cluster.state, &moved), web("new"), kRackAndRow) ==
        Verdicts{{"a", kRefused}, {"b", "fits"}, {"c", "fits"}, {"d", kRefused}});
  Overlay gone(cluster.state);
  gone.remove_node("b");
  CHECK(judge("CheckServiceAffinity", View(cluster.state, &gone), web("new"), kRackAndRow).at("c") ==
        "error: node \"b\" not found");
}

}  // namespace winnow::test
