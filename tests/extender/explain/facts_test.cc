// The facts that made a score, of kinds and with fields that docs/explain.md describes.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/rule/cause.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "extender/config/gates.h"
#include "extender/config/rules.h"
#include "extender/engine/engines.h"
#include "extender/engine/workers.h"
#include "extender/explain/explain.h"
#include "extender/explain/explanation_json.h"
#include "priorities/records.h"
#include "tests/builders.h"
#include "tests/extender/explain/documented_kinds.h"

namespace winnow::test {
namespace {

/// The rules of a name, or of the text of a configuration.
LoadedRules rules_of(const std::string& config) {
  auto rules = config.contains('\n') ? load_rules("config", config, Gates()) : named_rules(config, Gates());
  REQUIRE_MESSAGE(rules, rules.error());
  return *std::move(rules);
}

Explanation told(const State& state, const Pod& pod, const std::string& config, bool facts) {
  const LoadedRules rules = rules_of(config);
  Workers workers(0);
  const Engines engines(rules.sets, workers);
  const View view(state);
  return explain(engines, view, pod, view.all_nodes(), {.facts = facts});
}

/// The facts that made a rule's score of a node, each as its kind and its fields: "use cpu 1500m 4 62".
std::vector<std::string> facts_of(const State& state, const Pod& pod, std::string_view rule,
                                  std::string_view node, const std::string& config = "default") {
  std::vector<std::string> texts;
  for (const NodeExplanation& one : told(state, pod, config, /*facts=*/true).nodes)
    for (const ScoreEntry& score : one.scores) {
      if (one.name != node || score.rule != rule) continue;
      for (const Cause& fact : score.facts) {
        std::string& text = texts.emplace_back(fact.kind);
        const auto kind = std::ranges::find(fact_kinds(), fact.kind, &CauseKind::name);
        REQUIRE(kind != fact_kinds().end());
        auto place = kind->fields.begin();
        for (const auto& [name, value] : fact.fields) {
          place = std::find(place, kind->fields.end(), name);
          CHECK_MESSAGE(place != kind->fields.end(), name);
          text += ' ' + fact.text(name);
        }
      }
    }
  return texts;
}

using Lines = std::vector<std::string>;

const State::Options kToday{.generation = Generation::kToday};
constexpr const char* kZone = "topology.kubernetes.io/zone";

/// Two nodes, of which a has 4 cpu, and b twice as much of all.
struct TwoNodes : State {
  TwoNodes() : State(kToday) {
    set_node(node("a").cpu("4").memory("8Gi").pods("110").label(kZone, "z1").label("disk", "ssd"));
    set_node(node("b").cpu("8").memory("16Gi").pods("110").label(kZone, "z2"));
  }
};

TEST_CASE("the documented kinds of facts are those of the code") {
  CHECK(documented_kinds("### What made a score") == kinds_of(fact_kinds()));
}

TEST_CASE("resources tell what would be requested with the pod there, and what stays free") {
  TwoNodes state;
  state.set_pod(pod("one").on("a").cpu("1").memory("1Gi"));
  const Pod asked = pod("web").cpu("500m").memory("1Gi");
  CHECK(facts_of(state, asked, "NodeResourcesFit", "a") ==
        Lines{"use cpu 1500m 4 62", "use memory 2Gi 8Gi 75"});
  CHECK(facts_of(state, asked, "NodeResourcesBalancedAllocation", "b") ==
        Lines{"use cpu 500m 8 93", "use memory 1Gi 16Gi 93"});
}

TEST_CASE("the classic rules of resources tell the same") {
  State state(state_options(named_rules("classic", Gates()).value()));
  for (const char* const name : {"a", "b"}) state.set_node(node(name).cpu("4").memory("8Gi").pods("110"));
  const Pod asked = pod("web").cpu("1").memory("2Gi");
  for (const char* const rule : {"LeastRequestedPriority", "BalancedResourceAllocation"})
    CHECK(facts_of(state, asked, rule, "a", "classic") == Lines{"use cpu 1 4 75", "use memory 2Gi 8Gi 75"});
}

TEST_CASE("taints that are only preferred are told where the pod does not tolerate them") {
  TwoNodes state;
  state.set_node(node("c")
                     .cpu("4")
                     .memory("8Gi")
                     .pods("110")
                     .taint("team", "a", "PreferNoSchedule")
                     .taint("spot", "", "PreferNoSchedule"));
  const Pod asked = pod("web").cpu("1").tolerates("team");
  CHECK(facts_of(state, asked, "TaintToleration", "c") == Lines{"preferNoSchedule spot:PreferNoSchedule"});
  CHECK(facts_of(state, asked, "TaintToleration", "a").empty());
}

TEST_CASE("preferred terms that a node matches are told with their weight") {
  const TwoNodes state;
  const Pod asked = pod("web")
                        .cpu("1")
                        .prefers_nodes(5, {{kZone, "In", {"z2"}}})
                        .prefers_nodes(7, {{"disk", "In", {"ssd"}}});
  CHECK(facts_of(state, asked, "NodeAffinity", "a") == Lines{"matchingTerm nodeAffinity 2 7"});
  CHECK(facts_of(state, asked, "NodeAffinity", "b") == Lines{"matchingTerm nodeAffinity 1 5"});
}

TEST_CASE("a spread constraint tells the matching pods of the node's domain") {
  TwoNodes state;
  for (const char* const name : {"one", "two", "three"}) state.set_pod(pod(name).on("a").label("app", "web"));
  const Pod asked = pod("web")
                        .cpu("1")
                        .label("app", "web")
                        .spreads(kZone, LabelSelector{{{"app", "web"}}, {}}, /*max_skew=*/1, /*hard=*/false);
  CHECK(facts_of(state, asked, "PodTopologySpread", "a") ==
        Lines{std::string("spreadPods ") + kZone + " z1 3 1"});
  CHECK(facts_of(state, asked, "PodTopologySpread", "b") ==
        Lines{std::string("spreadPods ") + kZone + " z2 0 1"});
}

TEST_CASE("a preferred pod affinity tells the pods that it meets, and whose term it is") {
  TwoNodes state;
  PodAffinityTerm term;
  term.label_selector = LabelSelector{{{"app", "db"}}, {}};
  term.topology_key = kZone;
  for (const char* const name : {"db-0", "db-1"}) state.set_pod(pod(name).on("a").label("app", "db"));
  state.set_pod(pod("shy").on("b").dislikes(3, term));
  const Pod asked = pod("web").cpu("1").label("app", "db").likes(10, term);
  CHECK(facts_of(state, asked, "InterPodAffinity", "a") ==
        Lines{std::string("affinityPods own ") + kZone + " z1 2 10"});
  CHECK(facts_of(state, asked, "InterPodAffinity", "b") ==
        Lines{std::string("affinityPods existing ") + kZone + " z2 1 -3"});
}

TEST_CASE("the images that a node has are told with their size") {
  State state(kToday);
  Node with = node("a").cpu("4").memory("8Gi").pods("110");
  with.status.images = {{{"shop/web:1"}, 500 * 1024 * 1024}};
  state.set_node(with);
  state.set_node(node("b").cpu("4").memory("8Gi").pods("110"));
  const Pod asked = pod("web").cpu("1").image("shop/web:1");
  CHECK(facts_of(state, asked, "ImageLocality", "a") == Lines{"image shop/web:1 500Mi 1"});
  CHECK(facts_of(state, asked, "ImageLocality", "b").empty());
}

TEST_CASE("all rules that score tell facts, but two") {
  std::vector<std::string> without;
  for (const auto& records : {priorities::classic(), priorities::plugins()})
    for (const priorities::Record& record : records)
      if (record.made_by == nullptr) without.emplace_back(record.name);
  CHECK(without == Lines{"EqualPriority", "VolumeBinding"});
}

/// A Service's pods, two on node a, in zone z1.
void add_service(State& state) {
  state.workloads.set_service(meta("default", "web"), StringMap{{"app", "web"}});
  for (const char* const name : {"one", "two"}) state.set_pod(pod(name).on("a").label("app", "web"));
}

void add_nodes(State& state) {
  for (const auto& [name, zone] : {std::pair("a", "z1"), {"b", "z1"}, {"c", "z2"}})
    state.set_node(node(name).cpu("4").memory("8Gi").pods("110").label(kZone, zone).label("rack", zone));
}

TEST_CASE("a Service's pods are told for the node and for its zone") {
  State classic(state_options(rules_of("classic")));
  add_nodes(classic);
  add_service(classic);
  const Pod asked = pod("web").cpu("1").label("app", "web");
  const std::string rule = "SelectorSpreadPriority";
  CHECK(facts_of(classic, asked, rule, "a", "classic") ==
        Lines{"spreadPods kubernetes.io/hostname a 2", std::string("spreadPods ") + kZone + " z1 2"});
  CHECK(facts_of(classic, asked, rule, "b", "classic") ==
        Lines{"spreadPods kubernetes.io/hostname b 0", std::string("spreadPods ") + kZone + " z1 2"});
  CHECK_MESSAGE(facts_of(classic, pod("x").cpu("1"), rule, "a", "classic").empty(), "no Service selects it");
}

TEST_CASE("classic rules of a Policy's argument tell what they look at") {
  const std::string policy = R"({"kind":"Policy","apiVersion":"v1","predicates":[],"priorities":[
    {"name":"racks","weight":1,"argument":{"serviceAntiAffinity":{"label":"rack"}}},
    {"name":"labels","weight":1,"argument":{"labelPreference":{"label":"rack","presence":false}}},
    {"name":"ratio","weight":1,"argument":{"requestedToCapacityRatioArguments":{"shape":[
      {"utilization":0,"score":10},{"utilization":100,"score":0}]}}},
    {"name":"InterPodAffinityPriority","weight":1},{"name":"NodePreferAvoidPodsPriority","weight":1}]})"
                             "\n";
  State state(state_options(rules_of(policy)));
  add_nodes(state);
  state.set_node(node("d").cpu("4").memory("8Gi").pods("110").avoids("ReplicaSet", "rs"));
  add_service(state);
  PodAffinityTerm term;
  term.label_selector = LabelSelector{{{"app", "web"}}, {}};
  term.topology_key = kZone;
  const Pod asked =
      pod("web").cpu("1").memory("2Gi").label("app", "web").owner("ReplicaSet", "rs").likes(4, term);
  CHECK(facts_of(state, asked, "racks", "b", policy) == Lines{"spreadPods rack z1 2"});
  CHECK(facts_of(state, asked, "racks", "d", policy).empty());
  CHECK(facts_of(state, asked, "labels", "b", policy) == Lines{"preferredLabel rack absent z1"});
  CHECK(facts_of(state, asked, "labels", "d", policy) == Lines{"preferredLabel rack absent"});
  CHECK(facts_of(state, asked, "ratio", "b", policy) == Lines{"use cpu 1 4 75", "use memory 2Gi 8Gi 75"});
  CHECK(facts_of(state, asked, "InterPodAffinityPriority", "b", policy) ==
        Lines{std::string("affinityPods own ") + kZone + " z1 2 4"});
  CHECK(facts_of(state, asked, "NodePreferAvoidPodsPriority", "d", policy).size() == 1);
  CHECK(facts_of(state, asked, "NodePreferAvoidPodsPriority", "b", policy).empty());
}

TEST_CASE("removed plugins tell what they look at") {
  const std::string config = R"(apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
  plugins:
    score:
      enabled:
      - {name: NodeLabel}
      - {name: SelectorSpread}
      - {name: NodeResourcesLeastAllocated}
      - {name: NodeResourceLimits}
    preScore:
      enabled:
      - {name: SelectorSpread}
      - {name: NodeResourceLimits}
  pluginConfig:
  - name: NodeLabel
    args: {presentLabelsPreference: [rack], absentLabelsPreference: [gpu]}
)";
  State state(state_options(rules_of(config)));
  add_nodes(state);
  add_service(state);
  const Pod asked = pod("web").cpu("1").memory("2Gi").limit("cpu", "2").label("app", "web");
  CHECK(facts_of(state, asked, "NodeLabel", "b", config) ==
        Lines{"preferredLabel rack present z1", "preferredLabel gpu absent"});
  CHECK(facts_of(state, asked, "SelectorSpread", "a", config) ==
        Lines{"spreadPods kubernetes.io/hostname a 2", std::string("spreadPods ") + kZone + " z1 2"});
  CHECK(facts_of(state, asked, "NodeResourcesLeastAllocated", "b", config) ==
        Lines{"use cpu 1 4 75", "use memory 2Gi 8Gi 75"});
  CHECK(facts_of(state, asked, "NodeResourceLimits", "b", config) == Lines{"limit cpu 2 4"});
}

TEST_CASE("facts are told where they are asked for, as data that is read again") {
  const TwoNodes state;
  const Pod asked = pod("web").cpu("500m");
  std::string without, with;
  append_json(without, told(state, asked, "default", /*facts=*/false));
  append_json(with, told(state, asked, "default", /*facts=*/true));
  CHECK_FALSE(without.contains("facts"));
  CHECK(with.contains(
      R"("facts":[{"kind":"use","resource":"cpu","requested":"500m","allocatable":"4","free":87})"));
  const auto again = read_explanation(with);
  REQUIRE(again);
  std::string twice;
  append_json(twice, *again);
  CHECK(twice == with);
}

}  // namespace
}  // namespace winnow::test
