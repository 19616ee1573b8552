#include "cluster/expand/admission.h"

#include <doctest/doctest.h>

#include "cluster/text/words.h"
#include "tests/builders.h"
#include "tests/cluster/expand/expanded.h"

namespace winnow::test {
namespace {

std::string tolerations_text(const std::vector<Toleration>& tolerations) {
  std::string text;
  for (const Toleration& one : tolerations)
    text += std::format("{}{}:{}{}", text.empty() ? "" : " ", one.key, one.effect,
                        one.toleration_seconds ? "=" + std::to_string(*one.toleration_seconds) : "");
  return text;
}

PodClasses priority_of(const char* name) { return {.priority = name, .runtime = {}}; }

ClusterObjects objects(const std::string& yaml) {
  return yaml.empty() ? ClusterObjects() : read_cluster_text("f", yaml).value();
}

TEST_SUITE("admission") {
  const std::string kGold = "---\nkind: PriorityClass\nmetadata: {name: gold}\nvalue: 1000\n";
  const std::string kMeek =
      "---\nkind: PriorityClass\nmetadata: {name: meek}\nvalue: 7\npreemptionPolicy: Never\nglobalDefault: "
      "true\n";
  const std::string kPlain =
      "---\nkind: PriorityClass\nmetadata: {name: plain}\nvalue: 9\nglobalDefault: true\n";

  // Rows after upstream's plugin/pkg/admission/priority/admission_test.go v1.37.0.
  TEST_CASE("the priority of a pod") {
    struct Row {
      const char* sentence;
      std::string cluster;
      std::string added;
      const char* class_name;
      std::optional<std::int32_t> written;
      const char* policy;    ///< As written.
      const char* expected;  ///< "PRIORITY POLICY", or the error.
    };
    const char* const kComputed =
        "the integer value of priority (5) must not be provided in pod spec; priority admission controller "
        "computed "
        "1000 from the given PriorityClass name";
    const Row rows[] = {
        {"by its class", kGold, "", "gold", {}, "", "1000 PreemptLowerPriority"},
        {"by a class of the files", "", kGold, "gold", {}, "", "1000 PreemptLowerPriority"},
        {"a class of the files replaces",
         kGold,
         "kind: PriorityClass\nmetadata: {name: gold}\nvalue: 3\n",
         "gold",
         {},
         "",
         "3 PreemptLowerPriority"},
        {"without classes", "", "", "", {}, "", "0 PreemptLowerPriority"},
        {"without a default class", kGold, "", "", {}, "", "0 PreemptLowerPriority"},
        {"by the default class", kMeek, "", "", {}, "", "7 Never"},
        {"by the lowest of two default classes", kPlain, kMeek, "", {}, "", "7 Never"},
        {"its class counts before the default",
         kMeek + kGold,
         "",
         "gold",
         {},
         "",
         "1000 PreemptLowerPriority"},
        {"of nodes", "", "", "system-node-critical", {}, "", "2000001000 PreemptLowerPriority"},
        {"of the cluster", "", "", "system-cluster-critical", {}, "", "2000000000 PreemptLowerPriority"},
        {"written as it is", kGold, "", "gold", 1000, "", "1000 PreemptLowerPriority"},
        {"written otherwise", kGold, "", "gold", 5, "", kComputed},
        {"a policy written otherwise",
         kMeek,
         "",
         "meek",
         {},
         "PreemptLowerPriority",
         "the string value of PreemptionPolicy (PreemptLowerPriority) must not be provided in pod spec; "
         "priority "
         "admission controller computed Never from the given PriorityClass name"},
        {"of a class that nobody has",
         kGold,
         "",
         "silver",
         {},
         "",
         "no PriorityClass with name silver was found; expected it in the cluster or in a file"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      const ClusterOfText cluster(row.cluster);
      const Admission admission(cluster.state(), objects(row.added));
      Pod made = pod("p");
      made.metadata.uid.clear();
      made.spec.priority = row.written;
      made.spec.preemption_policy = row.policy;
      const std::string error = admission.mutate(made, priority_of(row.class_name));
      CHECK((error.empty() ? std::format("{} {}", made.spec.priority.value(), made.spec.preemption_policy)
                           : error) == row.expected);
    }
  }

  TEST_CASE("a pod that was stored keeps its priority where its class is not known") {
    const ClusterOfText cluster("");
    const Admission admission(cluster.state(), {});
    Pod made = pod("p").uid("u");
    made.spec.priority = 5;
    CHECK(admission.mutate(made, priority_of("gone")).empty());
    CHECK(made.spec.priority == 5);
  }

  // Rows after upstream's plugin/pkg/admission/defaulttolerationseconds/admission_test.go v1.37.0.
  TEST_CASE("five minutes on a node that fails") {
    const char* const kReady = "node.kubernetes.io/not-ready";
    const char* const kReach = "node.kubernetes.io/unreachable";
    const std::string both = std::format("{}:NoExecute=300 {}:NoExecute=300", kReady, kReach);
    struct Row {
      const char* sentence;
      std::vector<Toleration> written;
      std::string expected;
    };
    const auto one = [](const char* key, const char* effect) {
      return Toleration{.key = key, .op = "Exists", .value = "", .effect = effect, .toleration_seconds = {}};
    };
    const Row rows[] = {
        {"none", {}, both},
        {"of another taint", {one("gpu", "NoExecute")}, "gpu:NoExecute " + both},
        {"of another effect", {one(kReady, "NoSchedule")}, std::format("{}:NoSchedule ", kReady) + both},
        {"one is there",
         {one(kReady, "NoExecute")},
         std::format("{0}:NoExecute {1}:NoExecute=300", kReady, kReach)},
        {"one of every effect is there",
         {one(kReach, "")},
         std::format("{1}: {0}:NoExecute=300", kReady, kReach)},
        {"of every taint", {one("", "")}, ":"},
        {"of every taint that evicts", {one("", "NoExecute")}, ":NoExecute"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      const ClusterOfText cluster("");
      Pod made = pod("p");
      made.spec.tolerations = row.written;
      CHECK(Admission(cluster.state(), {}).mutate(made, {}).empty());
      CHECK(tolerations_text(made.spec.tolerations) == row.expected);
    }
  }

  TEST_CASE("classes alone: what is refused or not known gives nothing, and is said") {
    const std::string kata =
        "---\nkind: RuntimeClass\nmetadata: {name: kata}\nhandler: kata\noverhead: {podFixed: {cpu: 250m}}\n"
        "scheduling: {nodeSelector: {vm: 'yes'}, tolerations: [{key: vm, operator: Exists}]}\n";
    struct Row {
      const char* sentence;
      std::string cluster;
      PodClasses classes;
      PodBuilder pod;
      std::string priority;  ///< "" : none
      std::string overhead;
      std::vector<std::string> refused, not_judged;
    };
    const std::string no_runtime =
        "RuntimeClass \"kata\": no RuntimeClass is known, so its overhead, nodeSelector and tolerations are "
        "not "
        "applied";
    const Row rows[] = {
        {"no class, and none known", "", {}, pod("p"), "", "", {}, {}},
        {"the default class", kMeek, {}, pod("p"), "7", "", {}, {}},
        {"both classes", kGold + kata, {"gold", "kata"}, pod("p"), "1000", "250m", {}, {}},
        {"classes that are not there",
         kGold + kata,
         {"silver", "runc"},
         pod("p"),
         "",
         "",
         {"pods \"p\" is forbidden: no PriorityClass with name silver was found; expected it in the cluster "
          "or "
          "in a file",
          "pods \"p\" is forbidden: pod rejected: RuntimeClass \"runc\" not found"},
         {}},
        {"no classes are known",
         "",
         {"gold", "kata"},
         pod("p"),
         "",
         "",
         {},
         {"PriorityClass \"gold\": no PriorityClass is known, so it counts as priority 0", no_runtime}},
        {"a class of Kubernetes' own is always known",
         "",
         {"system-node-critical", {}},
         pod("p"),
         "2000001000",
         "",
         {},
         {}},
        {"a contradiction leaves the pod as it is",
         kata,
         {"", "kata"},
         pod("p").selects_nodes("vm", "no"),
         "",
         "",
         {"pods \"p\" is forbidden: conflict: runtimeClass.scheduling.nodeSelector[vm] = yes; "
          "pod.spec.nodeSelector[vm] = no"},
         {}},
        {"an overhead without a class",
         kata,
         {},
         pod("p").overhead("cpu", "1"),
         "",
         "1",
         {"pods \"p\" is forbidden: pod rejected: Pod Overhead set without corresponding RuntimeClass "
          "defined "
          "Overhead"},
         {}},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      const ClusterOfText cluster(row.cluster);
      Pod made = row.pod;
      const ClassRemarks remarks = Admission(cluster.state(), {}).apply_classes(made, row.classes);
      CHECK(joined(remarks.refused, "\n") == joined(row.refused, "\n"));
      CHECK(joined(remarks.not_judged, "\n") == joined(row.not_judged, "\n"));
      CHECK((made.spec.priority ? std::to_string(*made.spec.priority) : "") == row.priority);
      const bool has_overhead = made.spec.overhead && !made.spec.overhead->empty();
      CHECK((has_overhead ? quantity_text(made.spec.overhead->at("cpu")) : "") == row.overhead);
      CHECK(made.spec.tolerations.size() == (row.overhead == "250m" ? 1 : 0));
    }
  }

  TEST_CASE("LimitRanges of the pod's namespace count, those of the files before the cluster's") {
    const auto range = [](const char* ns, const char* name, const char* most) {
      return std::format(
          "---\nkind: LimitRange\nmetadata: {{namespace: {}, name: {}}}\nspec: {{limits: [{{type: "
          "Container, max: {{cpu: {}}}}}]}}\n",
          ns, name, most);
    };
    const ClusterOfText cluster(range("shop", "a", "1") + range("shop", "b", "4") +
                                range("bank", "a", "500m"));
    const Admission admission(cluster.state(), objects(range("shop", "a", "2")));
    const auto refusal = [&](const char* ns, const char* cpu) {
      return admission.refuses(pod("p").in(ns).container("c").cpu(cpu).limit("cpu", cpu), {});
    };
    CHECK(refusal("shop", "2").empty());
    CHECK(refusal("shop", "3") ==
          "pods \"p\" is forbidden: maximum cpu usage per Container is 2, but limit is 3");
    CHECK(refusal("bank", "2") ==
          "pods \"p\" is forbidden: maximum cpu usage per Container is 500m, but limit is 2");
    CHECK(refusal("other", "9").empty());
    Pod made = pod("p").in("shop").container("c");
    CHECK(admission.mutate(made, {}).empty());
    CHECK(made.spec.containers[0].resources.limits.at("cpu") == Quantity::of_units(2));
  }

  TEST_CASE("defaults of a LimitRange and what it forbids reach the pods of a workload") {
    const std::string range =
        "kind: LimitRange\nmetadata: {name: l, namespace: shop}\nspec: {limits: [{type: Container, default: "
        "{cpu: 2}, "
        "max: {cpu: 3}}]}\n";
    const auto made = expanded(workload("apps/v1", "Deployment", kSelector), range);
    REQUIRE(made);
    CHECK(made->sets.at(0).pod(0).spec.containers.at(0).resources.requests.at("cpu") ==
          Quantity::of_units(2));
    const std::string big = "containers: [{name: c, image: i, resources: {limits: {cpu: 4}}}]";
    CHECK(error_in(workload("apps/v1", "StatefulSet", kSelector, big) + "---\n" + range) ==
          "f: StatefulSet shop/web: pods \"web-0\" is forbidden: maximum cpu usage per Container is 3, but "
          "limit is 4");
    CHECK(error_in(workload("apps/v1", "StatefulSet", kSelector + "  replicas: 0\n", big), range).empty());
  }
}

}  // namespace
}  // namespace winnow::test
