#include "cluster/expand/model_pods.h"

#include <doctest/doctest.h>

#include "tests/cluster/expand/expanded.h"

namespace winnow::test {
namespace {

std::string sources_of(const std::vector<ModelPod>& models) {
  std::string text;
  for (const ModelPod& model : models) text += (text.empty() ? "" : ", ") + model.source;
  return text;
}

}  // namespace

TEST_SUITE("model pods") {
  TEST_CASE("each kind that makes pods has one, whatever its number is") {
    struct Row {
      const char* sentence;
      std::string yaml, sources;
    };
    const std::string none = "  replicas: 0\n";
    const Row rows[] = {
        {"a Pod", "kind: Pod\nmetadata: {name: p}\n", "Pod default/p"},
        {"a Deployment without replicas", workload("apps/v1", "Deployment", kSelector + none),
         "Deployment shop/web"},
        {"a ReplicaSet", workload("apps/v1", "ReplicaSet", kSelector), "ReplicaSet shop/web"},
        {"a StatefulSet", workload("apps/v1", "StatefulSet", kSelector), "StatefulSet shop/web"},
        {"a DaemonSet", workload("apps/v1", "DaemonSet", kSelector), "DaemonSet shop/web"},
        {"a suspended Job", workload("batch/v1", "Job", "  suspend: true\n"), "Job shop/web"},
        {"a CronJob",
         "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: web, namespace: shop}\n"
         "spec: {jobTemplate: {spec: {template: {spec: {containers: []}}}}}\n",
         "CronJob shop/web"},
        {"several documents, one of them a Service",
         "kind: Pod\nmetadata: {name: p}\n---\napiVersion: v1\nkind: Service\nmetadata: {name: s}\n---\n" +
             workload("apps/v1", "Deployment", kSelector),
         "Pod default/p, Deployment shop/web"},
        {"a List",
         "apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: Pod, metadata: {name: a}}, "
         "{apiVersion: v1, kind: Pod, metadata: {name: b}}]\n",
         "Pod default/a, Pod default/b"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      const auto models = read_model_pods("the text", row.yaml);
      REQUIRE_MESSAGE(models.has_value(), models.error().message);
      CHECK(sources_of(*models) == row.sources);
    }
  }

  TEST_CASE("a pod is as its controller makes it, and may go anywhere") {
    const auto set = read_model_pods("f", workload("apps/v1", "StatefulSet", kSelector));
    REQUIRE(set);
    CHECK(set->front().pod.metadata.name == "web-0");
    CHECK(set->front().pod.metadata.labels.at("apps.kubernetes.io/pod-index") == "0");
    const auto daemon = read_model_pods("f", workload("apps/v1", "DaemonSet", kSelector));
    REQUIRE(daemon);
    CHECK(daemon->front().is_daemon_set);
    CHECK_FALSE(daemon->front().pod.spec.affinity);
    CHECK(daemon->front().pod.spec.tolerations.size() >= 5);
    const auto bound = read_model_pods(
        "f",
        "apiVersion: v1\nkind: List\nitems: [{kind: Pod, apiVersion: v1, metadata: {name: a, uid: u}, "
        "spec: {nodeName: n1, containers: []}}]\n");
    REQUIRE_MESSAGE(bound, bound.error().message);
    CHECK(bound->front().pod.spec.node_name.empty());
  }

  TEST_CASE("claims that come with a pod are left out, and so is said; classes are named") {
    const std::string claims =
        kSelector +
        "  volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], "
        "resources: {requests: {storage: 1Gi}}}}]\n";
    const auto models = read_model_pods(
        "f",
        workload("apps/v1", "StatefulSet", claims,
                 "priorityClassName: high, runtimeClassName: kata, containers: [{name: c, image: i}], "
                 "volumes: [{name: old, persistentVolumeClaim: {claimName: there}}, "
                 "{name: new, persistentVolumeClaim: {claimName: here}}]") +
            "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: here, namespace: shop}\n");
    REQUIRE_MESSAGE(models, models.error().message);
    const ModelPod& model = models->front();
    REQUIRE(model.pod.spec.volumes.size() == 1);
    CHECK(model.pod.spec.volumes[0].id == "there");
    const std::vector<std::string> said = {"the claim of its volume \"data\", which is not there yet",
                                           "the claim of its volume \"new\", which is not there yet"};
    CHECK(model.not_judged == said);
    CHECK(model.classes.priority == "high");
    CHECK(model.classes.runtime == "kata");
  }

  TEST_CASE("ResourceClaims that are not there yet are left out, and so is said") {
    const auto models = read_model_pods(
        "f",
        workload(
            "apps/v1", "Deployment", kSelector,
            "containers: [{name: c, image: i}], resourceClaims: [{name: a, resourceClaimTemplateName: t}, "
            "{name: b, resourceClaimName: here}, {name: c, resourceClaimName: there}]") +
            "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\n"
            "metadata: {name: here, namespace: shop}\n");
    REQUIRE_MESSAGE(models, models.error().message);
    CHECK(models->front().pod.spec.resource_claims ==
          std::vector<PodResourceClaim>{{"c", "there", std::nullopt}});
    CHECK(models->front().not_judged ==
          std::vector<std::string>{"the ResourceClaim of its claim \"a\", which is not there yet",
                                   "the ResourceClaim of its claim \"b\", which is not there yet"});
  }

  TEST_CASE("what cannot be tried is said in a line") {
    struct Row {
      const char *sentence, *yaml, *error;
    };
    const Row rows[] = {
        {"no workload", "apiVersion: v1\nkind: Node\nmetadata: {name: x}\n",
         "f: expected a Pod, Deployment, ReplicaSet, ReplicationController, StatefulSet, DaemonSet, Job or "
         "CronJob, and found none"},
        {"no YAML", "a: [", "f: line 1, column "},
        {"what the API server refuses",
         "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x}\n"
         "spec: {template: {spec: {containers: []}}}\n",
         "f: Deployment default/x: spec.selector: Required value"},
        {"another maker of pods",
         "apiVersion: x.io/v1\nkind: Ray\nmetadata: {name: x}\nspec: {template: {spec: {containers: []}}}\n",
         "f: Ray.x.io default/x: spec.template: no pods can be made of this kind"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      const auto models = read_model_pods("f", row.yaml);
      REQUIRE_FALSE(models);
      CHECK_MESSAGE(models.error().message.starts_with(row.error), models.error().message);
    }
  }
}

}  // namespace winnow::test
