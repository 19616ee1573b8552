// Which kinds of objects a configuration has us watch, and no others.
#include "extender/config/needed.h"

#include <doctest/doctest.h>

#include "extender/config/gates.h"

namespace winnow::test {
namespace {

using K = ResourceKind;

std::string names_of(Needs needs) {
  constexpr const char* kNames[kResourceKinds] = {"nodes", "pods", "ns", "svc",  "rc",   "rs",   "sts", "pdb",
                                                  "pv",    "pvc",  "sc", "csin", "csid", "csic", "va"};
  std::string names;
  for (std::size_t i = 0; i < kResourceKinds; ++i)
    if (needs.has(static_cast<K>(i))) names += (names.empty() ? "" : " ") + std::string(kNames[i]);
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
    CHECK(of_policy(R"({"name":"PodFitsResources"})") == "nodes pods pdb pvc");
    CHECK(of_policy(R"({"name":"NoVolumeZoneConflict"})") == "nodes pods pdb pv pvc sc");
    CHECK(of_policy(R"({"name":"MaxCSIVolumeCountPred"})") == "nodes pods pdb pv pvc sc csin");
    CHECK(of_policy(R"({"name":"HostName"})", R"({"name":"SelectorSpreadPriority","weight":1})") ==
          "nodes pods svc rc rs sts pdb pvc");
    CHECK(of_policy(R"({"name":"Mine","argument":{"serviceAffinity":{"labels":["rack"]}}})") ==
          "nodes pods svc pdb pvc");
    CHECK(of_policy(R"({"name":"HostName"})",
                    R"({"name":"Mine","weight":1,"argument":{"serviceAntiAffinity":{"label":"rack"}}})") ==
          "nodes pods svc pdb pvc");
  }

  TEST_CASE("a profile") {
    const auto only = [&](const std::string& plugin, const std::string& more = "") {
      return of_profile(
          R"({"plugins":{"multiPoint":{"disabled":[{"name":"*"}],"enabled":[{"name":"PrioritySort"},
          {"name":"DefaultBinder"},{"name":")" +
          plugin + R"("}]}})" + more + "}");
    };
    CHECK(of_profile("{}") == "nodes pods ns svc rc rs sts pdb pv pvc sc csin csid csic va");
    CHECK(only("NodeResourcesFit") == "nodes pods pdb");
    CHECK(only("InterPodAffinity") == "nodes pods ns pdb");
    CHECK(only("VolumeRestrictions") == "nodes pods pdb pvc");
    CHECK(only("VolumeZone") == "nodes pods pdb pv pvc sc");
    CHECK(only("VolumeBinding") == "nodes pods pdb pv pvc sc csin csid csic");
    CHECK(only("NodeVolumeLimits") == "nodes pods pdb pv pvc sc csin csid va");
    CHECK(only("PodTopologySpread") == "nodes pods svc rc rs sts pdb");
  }

  TEST_CASE("PodTopologySpread without default constraints does not ask who owns a pod") {
    CHECK(
        of_profile(R"({"plugins":{"multiPoint":{"disabled":[{"name":"*"}],"enabled":[{"name":"PrioritySort"},
          {"name":"DefaultBinder"},{"name":"PodTopologySpread"}]}},
          "pluginConfig":[{"name":"PodTopologySpread","args":{"defaultingType":"List"}}]})") ==
        "nodes pods pdb");
  }

  TEST_CASE("several profiles need what any of them needs") {
    CHECK(Needs(K::kPods).covers(K::kPods));
    CHECK_FALSE(Needs(K::kPods).covers(K::kPods | K::kNodes));
    CHECK((K::kPods | K::kNodes).covers(K::kNodes));
  }
}

}  // namespace
}  // namespace winnow::test
