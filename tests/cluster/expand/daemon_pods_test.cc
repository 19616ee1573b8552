#include <doctest/doctest.h>

#include <algorithm>

#include "cluster/expand/pod_set.h"
#include "tests/builders.h"
#include "tests/cluster/expand/expanded.h"

namespace winnow::test {
namespace {

const std::string kNodes =
    "kind: Node\nmetadata: {name: b, labels: {type: fast}}\n---\n"
    "kind: Node\nmetadata: {name: a, labels: {type: slow}}\nspec: {unschedulable: true, taints: [{key: "
    "node.kubernetes.io/unschedulable, effect: NoSchedule}]}\n---\n"
    "kind: Node\nmetadata: {name: gpu, labels: {type: fast}}\nspec: {taints: [{key: gpu, value: 'yes', "
    "effect: "
    "NoSchedule}]}\n---\n"
    "kind: Node\nmetadata: {name: soft}\nspec: {taints: [{key: gpu, effect: PreferNoSchedule}]}\n---\n"
    "kind: Node\nmetadata: {name: sick}\nspec: {taints: [{key: node.kubernetes.io/unreachable, effect: "
    "NoExecute}, "
    "{key: node.kubernetes.io/memory-pressure, effect: NoSchedule}]}\n---\n"
    "kind: Node\nmetadata: {name: cut}\nspec: {taints: [{key: node.kubernetes.io/network-unavailable, "
    "effect: "
    "NoSchedule}]}\n";

TEST_SUITE("daemon pods") {
  // Rows after upstream's pkg/controller/daemon/daemon_controller_test.go v1.37.0,
  // TestNodeShouldRunDaemonPod.
  TEST_CASE("the nodes that a DaemonSet runs on") {
    struct Row {
      const char* sentence;
      const char* spec;   ///< Of the template, beside containers.
      const char* nodes;  ///< In order.
    };
    const Row rows[] = {
        {"all whose taints every daemon tolerates", "", "a b sick soft"},
        {"on the host's network, those without a network too", "hostNetwork: true", "a b cut sick soft"},
        {"with a toleration", "tolerations: [{key: gpu, operator: Exists}]", "a b gpu sick soft"},
        {"with a toleration of the value", "tolerations: [{key: gpu, value: 'yes'}]", "a b gpu sick soft"},
        {"with a toleration of another value", "tolerations: [{key: gpu, value: 'no'}]", "a b sick soft"},
        {"with a toleration of everything", "tolerations: [{operator: Exists}]", "a b cut gpu sick soft"},
        {"by nodeSelector", "nodeSelector: {type: fast}", "b"},
        {"by a nodeSelector that no node has", "nodeSelector: {type: none}", ""},
        {"by node affinity",
         "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
         "[{matchExpressions: [{key: type, operator: In, values: [slow]}]}, {matchFields: [{key: "
         "metadata.name, "
         "operator: In, values: [soft]}]}]}}}",
         "a soft"},
        {"preferences do not matter",
         "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, "
         "preference: "
         "{matchExpressions: [{key: type, operator: In, values: [slow]}]}}]}}",
         "a b sick soft"},
        {"a requirement that cannot be read matches nothing",
         "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
         "[{matchExpressions: [{key: type, operator: Like, values: [slow]}]}]}}}",
         ""},
        {"room does not matter", "priority: 0, resources: {requests: {cpu: 1000}}", "a b sick soft"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      const auto made = expanded(
          workload("apps/v1", "DaemonSet", kSelector,
                   std::string("containers: [{name: c, image: i}]") + (*row.spec ? ", " : "") + row.spec),
          kNodes);
      REQUIRE_MESSAGE(made.has_value(), made.error().message);
      std::string nodes;
      for (const Pod& pod : pods_of(*made)) {
        const NodeSelector& required = pod.spec.affinity->node_affinity->required.value();
        REQUIRE(required.terms.size() == 1);
        CHECK(required.terms[0].match_expressions.empty());
        REQUIRE(required.terms[0].match_fields.size() == 1);
        CHECK(required.terms[0].match_fields[0].key == "metadata.name");
        CHECK(required.terms[0].match_fields[0].op == "In");
        nodes += (nodes.empty() ? "" : " ") + required.terms[0].match_fields[0].values.at(0);
      }
      CHECK(nodes == row.nodes);
    }
  }

  TEST_CASE("nodes of the files count, and nodes that have such a pod do not") {
    const std::string pod =
        "---\nkind: Pod\nmetadata: {name: x, namespace: shop, ownerReferences: [{apiVersion: apps/v1, kind: "
        "DaemonSet, name: web, uid: u, controller: true}]}\nspec: {nodeName: b}\n";
    const std::string other =
        "---\nkind: Pod\nmetadata: {name: x, namespace: bank, ownerReferences: [{apiVersion: apps/v1, kind: "
        "DaemonSet, name: web, uid: u, controller: true}]}\nspec: {nodeName: soft}\n";
    const auto made =
        expanded(workload("apps/v1", "DaemonSet", kSelector) +
                     "---\nkind: Node\nmetadata: {name: new}\n---\nkind: Node\nmetadata: {name: "
                     "sick}\nspec: {taints: [{key: k, effect: NoExecute}]}\n",
                 kNodes + pod + other);
    REQUIRE_MESSAGE(made.has_value(), made.error().message);
    std::string nodes;
    for (const Pod& one : pods_of(*made))
      nodes += one.spec.affinity->node_affinity->required->terms.at(0).match_fields.at(0).values.at(0) + " ";
    CHECK(nodes == "a new soft ");
  }

  TEST_CASE("the tolerations of every daemon") {
    PodSpec spec;
    spec.tolerations = {{.key = "node.kubernetes.io/not-ready",
                         .op = "Exists",
                         .value = "",
                         .effect = "NoExecute",
                         .toleration_seconds = 5}};
    add_daemon_tolerations(spec);
    CHECK(spec.tolerations.size() == 6);
    CHECK_FALSE(spec.tolerations[0].toleration_seconds);
    const auto once = spec.tolerations;
    add_daemon_tolerations(spec);
    CHECK((spec.tolerations == once));
    spec.host_network = true;
    add_daemon_tolerations(spec);
    CHECK(spec.tolerations.size() == 7);
    CHECK(spec.tolerations[6].key == "node.kubernetes.io/network-unavailable");
    CHECK(spec.tolerations[6].effect == "NoSchedule");
  }

  TEST_CASE("nodes that were added get no pod of the set, but one of their own") {
    ClusterOfText cluster(kNodes);
    const std::vector<std::string> added = {"b", "gpu"};
    const auto made = read_new_objects_text("f", workload("apps/v1", "DaemonSet", kSelector),
                                            {.new_nodes = added}, cluster.state());
    REQUIRE_MESSAGE(made.has_value(), made.error().message);
    CHECK(pods_of(*made).size() == 3);
    const PodSet& set = made->sets.at(0);
    CHECK(set.is_daemon_set());
    CHECK(set.on_new_node(cluster.state(), cluster.state().find_node("gpu")).size() == 0);
    const PodSet one = set.on_new_node(cluster.state(), cluster.state().find_node("b"));
    REQUIRE(one.size() == 1);
    const Pod pod = one.pod(0);
    CHECK(pod.metadata.name == "web-b");
    CHECK(pod.metadata.uid == "shop/web-b");
    CHECK(pod.spec.priority.value_or(-1) == 0);
    REQUIRE(required_node(pod.spec));
    CHECK(*required_node(pod.spec) == "b");
  }

  TEST_CASE("a DaemonSet without nodes is admitted: nodes may come later") {
    const std::string classes = "---\nkind: PriorityClass\nmetadata: {name: gold}\nvalue: 1000\n";
    const std::string spec =
        "containers: [{name: c, image: i}], nodeSelector: {type: none}, priorityClassName: gold";
    const auto made = expanded(workload("apps/v1", "DaemonSet", kSelector, spec), kNodes + classes);
    REQUIRE_MESSAGE(made.has_value(), made.error().message);
    CHECK(made->sets.at(0).size() == 0);
    CHECK(made->sets.at(0).priority() == 1000);
    CHECK(error_in(workload("apps/v1", "DaemonSet", kSelector, spec), kNodes).contains("no PriorityClass"));
  }

  TEST_CASE("a pod shows its DaemonSet, without the node's name and the claims of ephemeral volumes") {
    struct Row {
      const char* sentence;
      const char* term;  ///< Of the required node affinity.
      bool is_kept;
    };
    const Row rows[] = {
        {"the controller's term goes", "{matchFields: [{key: metadata.name, operator: In, values: [b]}]}",
         false},
        {"one of two terms stays",
         "{matchFields: [{key: metadata.name, operator: In, values: [b]}]}, {matchExpressions: [{key: type, "
         "operator: In, values: [slow]}]}",
         true},
        {"one of labels stays", "{matchExpressions: [{key: type, operator: In, values: [fast]}]}", true},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      ClusterOfText cluster(
          kNodes +
          "---\nkind: Pod\nmetadata: {name: web-x, namespace: shop, uid: u, labels: {app: web}, "
          "ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: web, uid: d, controller: true}]}\n"
          "spec: {nodeName: b, priority: 7, containers: [{name: c, image: i}], volumes: [{name: v, "
          "ephemeral: "
          "{volumeClaimTemplate: {spec: {}}}}], affinity: {nodeAffinity: "
          "{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [" +
          row.term + "]}}}}\n");
      const State& state = cluster.state();
      const PodSet set = daemon_set_of(state, state.to_pod(state.find_pod("shop", "web-x")));
      CHECK(set.source() == "DaemonSet shop/web");
      CHECK(set.size() == 0);
      CHECK(set.priority() == 7);
      CHECK(set.runs_on(state, state.find_node("b")));
      CHECK(set.runs_on(state, state.find_node("soft")) != row.is_kept);
      const Pod pod = set.on_new_node(state, state.find_node("b")).pod(0);
      CHECK(pod.metadata.name == "web-b");
      CHECK(pod.metadata.uid == "shop/web-b");
      CHECK(pod.metadata.labels.at("app") == "web");
      CHECK(pod.spec.node_name.empty());
      CHECK(pod.spec.volumes.empty());
      CHECK(*required_node(pod.spec) == "b");
    }
  }

  TEST_CASE("a daemon's pod keeps what else it asks of nodes") {
    Pod made =
        pod("p").selects_nodes("a", "b").prefers_nodes(3, {{.key = "k", .op = "Exists", .values = {}}});
    require_node(made.spec, "n");
    CHECK(made.spec.node_selector.contains("a"));
    CHECK(made.spec.affinity->node_affinity->preferred.size() == 1);
    CHECK(made.spec.affinity->node_affinity->required->terms.size() == 1);
  }
}

}  // namespace
}  // namespace winnow::test
