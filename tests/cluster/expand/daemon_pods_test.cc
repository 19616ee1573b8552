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
        {"room does not matter", "priority: 0, overhead: {cpu: 1000}", "a b sick soft"},
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
