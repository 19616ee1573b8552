#include "extender/config/rules_difference.h"

#include <doctest/doctest.h>

#include "extender/config/extenders.h"
#include "extender/config/gates.h"
#include "extender/config/rules.h"
#include "extender/engine/ruleset.h"

namespace winnow::test {
namespace {

std::vector<RuleSet> sets_from(const std::string& text) {
  auto loaded = load_rules("f", text, parse_gates("").value());
  INFO(text);
  REQUIRE_MESSAGE(loaded.has_value(), (loaded ? "" : loaded.error()));
  return std::move(loaded->sets);
}

std::string config_with(const std::string& profiles) {
  return "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles: [" +
         profiles + "]\n";
}

std::string policy_with(const std::string& rest) { return "kind: Policy\napiVersion: v1\n" + rest; }

std::vector<std::string> lines_told(const std::string& a, const std::string& b) {
  std::vector<std::string> lines;
  for (const RulesDifference& one : differences_of(sets_from(a), sets_from(b))) lines.push_back(to_text(one));
  return lines;
}

}  // namespace

TEST_CASE("the differences of two configurations have the values of both") {
  struct Row {
    const char* sentence;
    std::string a, b;
    std::vector<std::string> lines;
  };
  const auto args = [](const std::string& plugin, const std::string& values) {
    return config_with("{pluginConfig: [{name: " + plugin + ", args: " + values + "}]}");
  };
  const std::string plain = config_with("{}");
  const Row rows[] = {
      {"the same twice", plain, plain, {}},
      {"the same in other words", plain, config_with("{schedulerName: default-scheduler}"), {}},
      {"a weight",
       plain,
       config_with("{plugins: {multiPoint: {enabled: [{name: NodeResourcesFit, weight: 5}]}}}"),
       {"NodeResourcesFit weighs 1 under A, 5 under B"}},
      {"a rule that B lacks",
       plain,
       config_with("{plugins: {score: {disabled: [{name: ImageLocality}]}}}"),
       {"ImageLocality scores under A only"}},
      {"a rule that does less under B",
       plain,
       config_with("{plugins: {score: {disabled: [{name: TaintToleration}]}}}"),
       {"TaintToleration filters and scores under A, and filters under B"}},
      {"a strategy",
       plain,
       args("NodeResourcesFit", "{scoringStrategy: {type: MostAllocated}}"),
       {"NodeResourcesFit: strategy is LeastAllocated under A, MostAllocated under B"}},
      {"a number and a flag",
       plain,
       args("InterPodAffinity", "{hardPodAffinityWeight: 7, ignorePreferredTermsOfExistingPods: true}"),
       {"InterPodAffinity: hardPodAffinityWeight is 1 under A, 7 under B",
        "InterPodAffinity: ignorePreferredTermsOfExistingPods is false under A, true under B"}},
      {"an affinity that is added",
       plain,
       args("NodeAffinity",
            "{addedAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
            "[{matchExpressions: [{key: pool, operator: In, values: [a]}]}]}}}"),
       {"NodeAffinity: addedAffinity is none under A, {required: {terms: [{matchExpressions: [{key: pool, "
        "op: "
        "In, values: [a]}]}]}} under B"}},
      {"profiles",
       config_with("{schedulerName: a}"),
       config_with("{schedulerName: a}, {schedulerName: b}"),
       {"profile b is in B only"}},
      {"a profile of several",
       config_with("{schedulerName: a}, {schedulerName: b}"),
       config_with(
           "{schedulerName: a}, {schedulerName: b, plugins: {score: {disabled: [{name: ImageLocality}]}}}"),
       {"profile b: ImageLocality scores under A only"}},
      {"two kinds",
       plain,
       policy_with("predicates: [{name: PodFitsResources}]\n"),
       {"A is a KubeSchedulerConfiguration, and B a Policy"}},
      {"Policies",
       policy_with("priorities: [{name: Ssd, weight: 2, argument: {labelPreference: {label: ssd, presence: "
                   "true}}}]\n"),
       policy_with("priorities: [{name: Ssd, weight: 3, argument: {labelPreference: {label: ssd, presence: "
                   "false}}}]\n"
                   "alwaysCheckAllPredicates: true\n"),
       {"Ssd weighs 2 under A, 3 under B", "Ssd: presence is true under A, false under B",
        "alwaysCheckAllPredicates is false under A, true under B"}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    CHECK(lines_told(row.a, row.b) == row.lines);
  }
}

TEST_CASE("an order in which the rules that both have run is a difference") {
  const std::vector<RulesDifference> found = differences_of(
      sets_from(config_with("{}")),
      sets_from(config_with("{plugins: {filter: {enabled: [{name: NodeAffinity}, {name: NodeName}]}}}")));
  REQUIRE(found.size() == 1);
  CHECK(found.front().aspect == RulesAspect::kOrder);
  CHECK(found.front().field == "filters");
  CHECK(found.front().b.starts_with("NodeAffinity, NodeName, "));
}

}  // namespace winnow::test
