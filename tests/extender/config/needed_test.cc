// Which kinds of objects a configuration has us watch, and no others.
#include <doctest/doctest.h>

#include "extender/config/gates.h"
#include "extender/config/rules.h"
#include "extender/engine/ruleset.h"
#include "predicates/records.h"
#include "priorities/records.h"

namespace winnow::test {
namespace {

std::string names_of(WatchedKinds needs) {
  std::string names;
  for (const ResourceKind kind : kAllKinds)
    if (needs.has(kind)) names += (names.empty() ? "" : " ") + std::string(info_of(kind).resource);
  return names;
}

std::string of_policy(const std::string& predicates, const std::string& priorities = "") {
  const std::string text = R"({"kind":"Policy","apiVersion":"v1","predicates":[)" + predicates +
                           R"(],"priorities":[)" + priorities + "]}";
  return names_of(needed(load_rules("policy", text, parse_gates("").value()).value().sets));
}
std::string of_profile(const std::string& profile) {
  const std::string text =
      R"({"kind":"KubeSchedulerConfiguration","apiVersion":"kubescheduler.config.k8s.io/v1","profiles":[)" +
      profile + "]}";
  return names_of(needed(load_rules("config", text, parse_gates("").value()).value().sets));
}

TEST_SUITE("needed") {
  TEST_CASE("a Policy") {
    CHECK(of_policy(R"({"name":"PodFitsResources"})") ==
          "nodes pods poddisruptionbudgets persistentvolumeclaims deviceclasses");
    CHECK(of_policy(R"({"name":"NoVolumeZoneConflict"})") ==
          "nodes pods poddisruptionbudgets persistentvolumes persistentvolumeclaims storageclasses");
    CHECK(of_policy(R"({"name":"MaxCSIVolumeCountPred"})") ==
          "nodes pods poddisruptionbudgets persistentvolumes persistentvolumeclaims storageclasses csinodes");
    CHECK(of_policy(R"({"name":"HostName"})", R"({"name":"SelectorSpreadPriority","weight":1})") ==
          "nodes pods services replicationcontrollers replicasets statefulsets poddisruptionbudgets "
          "persistentvolumeclaims");
    CHECK(of_policy(R"({"name":"Mine","argument":{"serviceAffinity":{"labels":["rack"]}}})") ==
          "nodes pods services poddisruptionbudgets persistentvolumeclaims");
    CHECK(of_policy(R"({"name":"HostName"})",
                    R"({"name":"Mine","weight":1,"argument":{"serviceAntiAffinity":{"label":"rack"}}})") ==
          "nodes pods services poddisruptionbudgets persistentvolumeclaims");
  }

  TEST_CASE("a profile") {
    const auto only = [&](const std::string& plugin, const std::string& more = "") {
      return of_profile(
          R"({"plugins":{"multiPoint":{"disabled":[{"name":"*"}],"enabled":[{"name":"PrioritySort"},
          {"name":"DefaultBinder"},{"name":")" +
          plugin + R"("}]}})" + more + "}");
    };
    CHECK(of_profile("{}") ==
          "nodes pods namespaces services replicationcontrollers replicasets statefulsets "
          "poddisruptionbudgets persistentvolumes persistentvolumeclaims storageclasses csinodes csidrivers "
          "csistoragecapacities volumeattachments deviceclasses resourceclaims resourceslices "
          "devicetaintrules");
    CHECK(only("NodeResourcesFit") == "nodes pods poddisruptionbudgets deviceclasses");
    CHECK(only("NodeResourcesFit",
               R"(,"pluginConfig":[{"name":"NodeResourcesFit","args":{"scoringStrategy":{
                 "type":"LeastAllocated","resources":[{"name":"example.com/gpu","weight":1}]}}}])") ==
          "nodes pods poddisruptionbudgets deviceclasses resourceclaims resourceslices devicetaintrules");
    CHECK(only("InterPodAffinity") == "nodes pods namespaces poddisruptionbudgets");
    CHECK(only("VolumeRestrictions") == "nodes pods poddisruptionbudgets persistentvolumeclaims");
    CHECK(only("VolumeZone") ==
          "nodes pods poddisruptionbudgets persistentvolumes persistentvolumeclaims storageclasses");
    CHECK(only("VolumeBinding") ==
          "nodes pods poddisruptionbudgets persistentvolumes persistentvolumeclaims storageclasses csinodes "
          "csidrivers csistoragecapacities");
    CHECK(only("NodeVolumeLimits") ==
          "nodes pods poddisruptionbudgets persistentvolumes persistentvolumeclaims storageclasses csinodes "
          "csidrivers volumeattachments");
    CHECK(only("DynamicResources") ==
          "nodes pods poddisruptionbudgets deviceclasses resourceclaims resourceslices devicetaintrules");
    CHECK(only("PodTopologySpread") ==
          "nodes pods services replicationcontrollers replicasets statefulsets poddisruptionbudgets");
  }

  TEST_CASE("PodTopologySpread without default constraints does not ask who owns a pod") {
    CHECK(
        of_profile(R"({"plugins":{"multiPoint":{"disabled":[{"name":"*"}],"enabled":[{"name":"PrioritySort"},
          {"name":"DefaultBinder"},{"name":"PodTopologySpread"}]}},
          "pluginConfig":[{"name":"PodTopologySpread","args":{"defaultingType":"List"}}]})") ==
        "nodes pods poddisruptionbudgets");
  }

  TEST_CASE("no rule has us watch what only pods of files need") {
    const ResourceKind kinds[] = {kind_of<PriorityClass>, kind_of<LimitRange>, kind_of<RuntimeClass>,
                                  kind_of<ResourceClaimTemplate>};
    const auto needs_none = [&](const auto& rows) {
      for (const auto& row : rows) {
        CAPTURE(row.name);
        for (const ResourceKind kind : kinds) CHECK_FALSE(WatchedKinds(row.needs).has(kind));
      }
    };
    needs_none(predicates::classic());
    needs_none(priorities::classic());
    needs_none(predicates::plugins());
    needs_none(priorities::plugins());
    for (const ResourceKind kind : kinds) CHECK(needs::kNewPods.has(kind));
  }

  TEST_CASE("what decides about devices are claims, slices, classes and taints") {
    CHECK(names_of(needs::kDevices) == "deviceclasses resourceclaims resourceslices devicetaintrules");
    // A pod that is there may have a claim, and its siblings to be made get one like it.
    CHECK(needs::kNewPods.has(kind_of<ResourceClaim>));
  }

  TEST_CASE("several profiles need what any of them needs") {
    const auto set = [](const std::string& plugin) {
      return load_rules("config",
                        R"({"kind":"KubeSchedulerConfiguration",
                           "apiVersion":"kubescheduler.config.k8s.io/v1","profiles":[{"plugins":{"multiPoint":{
                           "disabled":[{"name":"*"}],"enabled":[{"name":"PrioritySort"},
                           {"name":"DefaultBinder"},{"name":")" +
                            plugin + R"("}]}}}]})",
                        parse_gates("").value())
          .value()
          .sets.front();
    };
    const RuleSet affinity = set("InterPodAffinity");
    const RuleSet claims = set("VolumeRestrictions");
    CHECK(needed({affinity, claims}) == (needed(affinity) | needed(claims)));
    CHECK(names_of(needed({affinity, claims})) ==
          "nodes pods namespaces poddisruptionbudgets persistentvolumeclaims");
  }
}

}  // namespace
}  // namespace winnow::test
