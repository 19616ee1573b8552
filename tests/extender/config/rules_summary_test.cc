// What others are told of the rules in force, and that equal rules have one fingerprint, and others another.
#include "extender/config/rules_summary.h"

#include <doctest/doctest.h>

#include <set>

#include "extender/config/gates.h"
#include "extender/config/rules.h"

namespace winnow::test {
namespace {

RulesSummary summary_of(const std::string& text, const std::string& gates = "") {
  const auto loaded = load_rules("f", text, parse_gates(gates).value());
  INFO(text);
  REQUIRE_MESSAGE(loaded.has_value(), (loaded ? "" : loaded.error()));
  std::vector<const RuleSet*> sets;
  for (const RuleSet& set : loaded->sets) sets.push_back(&set);
  return summarize(sets);
}

std::string json(const RulesSummary& summary) {
  std::string out;
  append_json(out, summary);
  return out;
}

std::string policy(const std::string& rest) { return "kind: Policy\napiVersion: v1\n" + rest; }
std::string today(const std::string& rest) {
  return "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n" + rest;
}
std::string today_args(const std::string& plugin, const std::string& args) {
  return today("profiles: [{pluginConfig: [{name: " + plugin + ", args: " + args + "}]}]\n");
}

const std::string kSmall = policy(
    "predicates: [{name: PodFitsResources}, {name: NoDiskConflict}]\n"
    "priorities: [{name: LeastRequestedPriority, weight: 2}, {name: EqualPriority, weight: 1}]\n");

}  // namespace

TEST_CASE("a summary as JSON, and read again") {
  RulesSummary small = summary_of(kSmall);
  CHECK(small.fingerprint.size() == 16);
  CHECK(read_rules_summary(json(small)) == small);
  small.fingerprint = "0123456789abcdef";
  // In upstream's order, with the predicates that are always there.
  CHECK(
      json(small) ==
      R"({"kind":"Policy","fingerprint":"0123456789abcdef","profiles":[{"predicates":["CheckNodeUnschedulable",)"
      R"("PodFitsResources","NoDiskConflict","PodToleratesNodeTaints"],"priorities":[{"name":"EqualPriority","weight":1},)"
      R"({"name":"LeastRequestedPriority","weight":2}]}]})");
  const RulesSummary two = summary_of(today("profiles: [{schedulerName: a}, {schedulerName: 'b\"c'}]\n"));
  CHECK(two.kind == "KubeSchedulerConfiguration");
  REQUIRE(two.profiles.size() == 2);
  CHECK(two.profiles[1].scheduler_name == "b\"c");
  CHECK(read_rules_summary(json(two)) == two);
}

TEST_CASE("what is no summary is not read; what is not known is skipped") {
  for (const char* text : {"", "ok\n", "{}", "[]", "{", "404 page not found", R"({"kind":"Policy"})",
                           R"({"kind":"Policy","fingerprint":7})"})
    CHECK_FALSE(read_rules_summary(text));
  const auto odd = read_rules_summary(
      R"({"kind":"K","new":1,"fingerprint":"f","profiles":[3,{"predicates":["a",4],"priorities":[5,{"name":"p"}]}]})");
  REQUIRE(odd);
  CHECK(odd->profiles == std::vector{RulesProfile{"", {"a"}, {{"p", 0}}}});
}

TEST_CASE("how a file is written does not matter") {
  const std::string json_text =
      R"({"kind":"Policy","apiVersion":"v1","priorities":[{"weight":2,"name":"LeastRequestedPriority"},
          {"name":"EqualPriority","weight":1}],"predicates":[{"name":"PodFitsResources"},{"name":"NoDiskConflict"}]})";
  CHECK(summary_of(json_text) == summary_of("# a comment\n" + kSmall));
  CHECK(summary_of(today("")) == summary_of(today("profiles: [{schedulerName: default-scheduler}]\n")));
  CHECK(summary_of(today("")) == summary_of(today_args("InterPodAffinity", "{hardPodAffinityWeight: 1}")));
}

TEST_CASE("whatever is changed shows in the fingerprint") {
  const std::string texts[] = {
      kSmall,
      policy("predicates: [{name: PodFitsResources}]\npriorities: [{name: EqualPriority, weight: 1}]\n"),
      policy("predicates: [{name: PodFitsResources}]\npriorities: [{name: EqualPriority, weight: 2}]\n"),
      policy("alwaysCheckAllPredicates: true\npredicates: [{name: PodFitsResources}]\n"
             "priorities: [{name: EqualPriority, weight: 1}]\n"),
      policy("predicates: [{name: Own, argument: {labelsPresence: {labels: [a], presence: true}}}]\n"),
      policy("predicates: [{name: Own, argument: {labelsPresence: {labels: [b], presence: true}}}]\n"),
      policy("predicates: [{name: Own, argument: {labelsPresence: {labels: [a], presence: false}}}]\n"),
      policy("predicates: [{name: Own, argument: {serviceAffinity: {labels: [a]}}}]\n"),
      policy(
          "priorities: [{name: Own, weight: 1, argument: {labelPreference: {label: a, presence: true}}}]\n"),
      policy("priorities: [{name: Own, weight: 1, argument: {serviceAntiAffinity: {label: a}}}]\n"),
      today(""),
      today("profiles: [{schedulerName: a}]\n"),
      today("profiles: [{schedulerName: a}, {schedulerName: b}]\n"),
      today("profiles: [{plugins: {filter: {disabled: [{name: NodePorts}]}}}]\n"),
      today("profiles: [{plugins: {preFilter: {disabled: [{name: NodePorts}]}}}]\n"),
      today("profiles: [{plugins: {score: {disabled: [{name: ImageLocality}]}}}]\n"),
      today_args("NodeResourcesFit", "{ignoredResources: [example.com/a]}"),
      today_args("NodeResourcesFit", "{ignoredResourceGroups: [example.com]}"),
      today_args("NodeResourcesFit", "{scoringStrategy: {type: MostAllocated}}"),
      today_args("NodeResourcesFit",
                 "{scoringStrategy: {type: LeastAllocated, resources: [{name: cpu, weight: 3}]}}"),
      today_args("NodeResourcesBalancedAllocation", "{resources: [{name: cpu, weight: 1}]}"),
      today_args("InterPodAffinity", "{hardPodAffinityWeight: 2}"),
      today_args("InterPodAffinity", "{ignorePreferredTermsOfExistingPods: true}"),
      today_args("PodTopologySpread", "{defaultingType: List}"),
      today_args("PodTopologySpread",
                 "{defaultingType: List, defaultConstraints: [{maxSkew: 2, topologyKey: zone, "
                 "whenUnsatisfiable: ScheduleAnyway}]}"),
      today_args("NodeAffinity",
                 "{addedAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
                 "[{matchExpressions: [{key: a, operator: Exists}]}]}}}"),
  };
  std::set<std::string> fingerprints;
  for (const std::string& text : texts) {
    CAPTURE(text);
    CHECK(fingerprints.insert(summary_of(text).fingerprint).second);
  }
  CHECK(fingerprints.insert(summary_of(kSmall, "ExactV116=true").fingerprint).second);
}

}  // namespace winnow::test
