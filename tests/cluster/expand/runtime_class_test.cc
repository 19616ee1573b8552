// What a RuntimeClass does to the pods that name it.
// Rows after upstream's plugin/pkg/admission/runtimeclass/admission_test.go v1.37.0.
#include <doctest/doctest.h>

#include <format>
#include <string>
#include <vector>

#include "cluster/api/quantity.h"
#include "tests/cluster/expand/expanded.h"

namespace winnow::test {
namespace {

const std::string kKata = "kind: RuntimeClass\nmetadata: {name: kata}\nhandler: kata\n";
const std::string kRunc = "---\nkind: RuntimeClass\nmetadata: {name: runc}\nhandler: runc\n";

/// A Pod of the class. @param more  of its spec.
std::string pod_of_class(const std::string& more = "", const std::string& metadata = "") {
  return std::format(
      "kind: Pod\nmetadata: {{name: p, namespace: shop{}}}\n"
      "spec: {{runtimeClassName: kata, containers: [{{name: c, image: i}}]{}{}}}\n",
      metadata, more.empty() ? "" : ", ", more);
}

/// "cpu=1 | key=value | key:effect", without the five minutes of DefaultTolerationSeconds; "-": no overhead.
std::string what_a_class_gives(const PodSpec& spec) {
  std::string overhead, tolerations;
  if (spec.overhead)
    for (const auto& [name, amount] : *spec.overhead)
      overhead += std::format("{}{}={}", overhead.empty() ? "" : " ", name, quantity_text(amount));
  for (const Toleration& one : spec.tolerations) {
    if (one.toleration_seconds == 300) continue;
    tolerations += std::format("{}{}{}{}:{}{}", tolerations.empty() ? "" : " ", one.key,
                               one.value.empty() ? "" : "=", one.value, one.effect,
                               one.toleration_seconds ? "=" + std::to_string(*one.toleration_seconds) : "");
  }
  return std::format("{} | {} | {}", spec.overhead ? overhead : "-", text_of(spec.node_selector),
                     tolerations);
}

/// The first pod, as what_a_class_gives() has it, or the error.
std::string made_of(const std::string& yaml, const std::string& cluster) {
  const auto made = expanded(yaml, cluster);
  return made ? what_a_class_gives(made->sets.at(0).pod(0).spec) : made.error().message;
}

TEST_SUITE("RuntimeClass") {
  TEST_CASE("a class gives its pods overhead, nodeSelector and tolerations") {
    const char* const kDiffers =
        "f: Pod shop/p: pods \"p\" is forbidden: pod rejected: Pod's Overhead doesn't match RuntimeClass's "
        "defined Overhead";
    const char* const kNone =
        "f: Pod shop/p: pods \"p\" is forbidden: pod rejected: Pod Overhead set without corresponding "
        "RuntimeClass defined Overhead";
    struct Row {
      const char* sentence;
      std::string of_class;  ///< Beside its name.
      std::string of_pod;    ///< Beside its containers.
      const char* expected;
    };
    const std::string overhead = "overhead: {podFixed: {cpu: 250m, memory: 120Mi}}\n";
    const std::string selects = "scheduling: {nodeSelector: {vm: 'yes', zone: a}}\n";
    const auto tolerates = [](const std::string& list) {
      return "scheduling: {tolerations: [" + list + "]}\n";
    };
    const Row rows[] = {
        {"nothing", "", "", "- |  | "},
        {"an overhead", overhead, "", "cpu=250m memory=120Mi |  | "},
        {"the overhead that the pod has", overhead, "overhead: {cpu: '0.25', memory: 120Mi}",
         "cpu=250m memory=120Mi |  | "},
        {"an overhead that is empty in the pod", overhead, "overhead: {}", "cpu=250m memory=120Mi |  | "},
        {"amounts in thousandths, rounded up", "overhead: {podFixed: {cpu: 100u}}\n", "", "cpu=1m |  | "},
        {"another amount than the pod has", overhead, "overhead: {cpu: 1, memory: 120Mi}", kDiffers},
        {"more than the pod has", overhead, "overhead: {cpu: 250m}", kDiffers},
        {"an overhead of nothing", "overhead: {}\n", "", "- |  | "},
        {"an overhead of nothing, where the pod has one", "overhead: {}\n", "overhead: {cpu: 1}", kDiffers},
        {"none, where the pod has one", "", "overhead: {cpu: 1}", kNone},
        {"a nodeSelector", selects, "", "- | vm=yes zone=a | "},
        {"a nodeSelector beside the pod's", selects, "nodeSelector: {disk: ssd, zone: a}",
         "- | disk=ssd vm=yes zone=a | "},
        {"a nodeSelector that contradicts the pod's", selects, "nodeSelector: {zone: b}",
         "f: Pod shop/p: pods \"p\" is forbidden: conflict: runtimeClass.scheduling.nodeSelector[zone] = a; "
         "pod.spec.nodeSelector[zone] = b"},
        {"a toleration", tolerates("{key: vm, operator: Exists}"), "", "- |  | vm:"},
        {"a toleration behind the pod's", tolerates("{key: vm, operator: Exists}"),
         "tolerations: [{key: gpu, operator: Exists}]", "- |  | gpu: vm:"},
        {"a toleration that covers the pod's", tolerates("{key: vm, operator: Exists}"),
         "tolerations: [{key: vm, operator: Equal, value: a, effect: NoSchedule}]", "- |  | vm:"},
        {"a toleration that the pod's covers",
         tolerates("{key: vm, operator: Equal, value: a, effect: NoSchedule}"),
         "tolerations: [{key: vm, operator: Equal, value: a}]", "- |  | vm=a:"},
        {"an operator that is not written means Equal", tolerates("{key: vm, value: a}"),
         "tolerations: [{key: vm, operator: Equal, value: a}]", "- |  | vm=a:"},
        {"another value is not covered", tolerates("{key: vm, operator: Equal, value: b}"),
         "tolerations: [{key: vm, operator: Equal, value: a}]", "- |  | vm=a: vm=b:"},
        {"another effect is not covered", tolerates("{key: vm, operator: Exists, effect: NoExecute}"),
         "tolerations: [{key: vm, operator: Exists, effect: NoSchedule}]",
         "- |  | vm:NoSchedule vm:NoExecute"},
        {"a shorter time is covered",
         tolerates("{key: vm, operator: Exists, effect: NoExecute, tolerationSeconds: 60}"),
         "tolerations: [{key: vm, operator: Exists, effect: NoExecute, tolerationSeconds: 5}]",
         "- |  | vm:NoExecute=60"},
        {"for ever is not covered by a time",
         tolerates("{key: vm, operator: Exists, effect: NoExecute, tolerationSeconds: 60}"),
         "tolerations: [{key: vm, operator: Exists, effect: NoExecute}]", "- |  | vm:NoExecute"},
        {"a toleration of everything", tolerates("{operator: Exists}"),
         "tolerations: [{key: vm, operator: Equal, value: a}]", "- |  | :"},
        {"the pod's own tolerations are merged", "scheduling: {}\n",
         "tolerations: [{key: vm, operator: Exists}, {key: vm, operator: Exists, effect: NoExecute}]",
         "- |  | vm:"},
        {"the pod's own stay where the class has no scheduling", overhead,
         "tolerations: [{key: vm, operator: Exists}, {key: vm, operator: Exists, effect: NoExecute}]",
         "cpu=250m memory=120Mi |  | vm: vm:NoExecute"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      CHECK(made_of(pod_of_class(row.of_pod), kKata + row.of_class) == row.expected);
    }
  }

  TEST_CASE("tolerations of a class come after the five minutes on a node that fails") {
    const auto tolerations = [](const std::string& list) {
      const auto made =
          expanded(pod_of_class(), kKata + "scheduling: {tolerations: [" + list + "]}\n").value();
      return made.sets.at(0).pod(0).spec.tolerations;
    };
    CHECK(tolerations("{key: vm, operator: Exists}").size() == 3);
    CHECK(tolerations("{operator: Exists}").size() == 1);
  }

  TEST_CASE("a class of the files replaces the cluster's") {
    CHECK(made_of(kKata + "overhead: {podFixed: {cpu: 2}}\n---\n" + pod_of_class(),
                  kKata + "overhead: {podFixed: {cpu: 1}}\n") == "cpu=2 |  | ");
  }

  TEST_CASE("a class that is not there is refused, where there are others") {
    CHECK(error_in(pod_of_class(), kRunc) ==
          "f: Pod shop/p: pods \"p\" is forbidden: pod rejected: RuntimeClass \"kata\" not found");
    CHECK(error_in(workload("apps/v1", "StatefulSet", kSelector, "runtimeClassName: kata"), kRunc) ==
          "f: StatefulSet shop/web: pods \"web-0\" is forbidden: pod rejected: RuntimeClass \"kata\" not "
          "found");
    // A pod that an API server has stored has what its class gave it.
    CHECK(made_of(pod_of_class("overhead: {cpu: 1}", ", uid: u"), kRunc) == "cpu=1 |  | ");
  }

  TEST_CASE("an overhead without a class is refused") {
    CHECK(error_in("kind: Pod\nmetadata: {name: p}\nspec: {overhead: {cpu: 1}, containers: [{name: c, image: "
                   "i}]}\n") ==
          "f: Pod default/p: pods \"p\" is forbidden: pod rejected: Pod Overhead set without corresponding "
          "RuntimeClass defined Overhead");
  }

  TEST_CASE("without any class a pod is made as if it named none, and its set says so") {
    const auto lines = [](const std::string& yaml, const std::string& cluster = "") {
      const auto made = expanded(yaml, cluster);
      REQUIRE_MESSAGE(made.has_value(), made.error().message);
      return made->sets.at(0).not_judged();
    };
    const std::string what =
        "spec.runtimeClassName: RuntimeClass \"kata\" is not in the input, so its overhead, nodeSelector and "
        "tolerations are not applied";
    const auto deployment = [](const std::string& more, const std::string& of_pod) {
      return workload("apps/v1", "Deployment", kSelector + more,
                      "containers: [{name: c, image: i}], " + of_pod);
    };
    using Lines = std::vector<std::string>;
    CHECK(made_of(pod_of_class("overhead: {cpu: 1}"), "") == "cpu=1 |  | ");
    CHECK(lines(pod_of_class()) == Lines{what});
    CHECK(lines(deployment("  replicas: 3\n", "runtimeClassName: kata")) == Lines{what});
    CHECK(lines(deployment("  replicas: 0\n", "runtimeClassName: kata")).empty());
    CHECK(lines(deployment("", "hostNetwork: false")).empty());
    CHECK(lines(deployment("", "runtimeClassName: kata"), kKata).empty());
    CHECK(lines(pod_of_class("", ", uid: u")).empty());
  }
}

}  // namespace
}  // namespace winnow::test
