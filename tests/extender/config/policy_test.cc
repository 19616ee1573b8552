#include <doctest/doctest.h>

#include <algorithm>
#include <format>
#include <string>
#include <vector>

#include "extender/config/extenders.h"
#include "extender/config/gates.h"
#include "extender/config/policy_rules.h"
#include "extender/config/rules.h"
#include "predicates/records.h"
#include "predicates/rules.h"
#include "priorities/pod_affinity.h"
#include "priorities/records.h"
#include "priorities/rules.h"

namespace winnow {
namespace {

using Names = std::vector<std::string>;

constexpr std::string_view kHead = "apiVersion: v1\nkind: Policy\n";

LoadedRules load(std::string_view body, const Gates& gates = {.exact_v116 = true}) {
  auto loaded = load_rules("policy.yaml", std::string(kHead).append(body), gates);
  INFO(body);
  REQUIRE_MESSAGE(loaded.has_value(), (loaded ? "" : loaded.error()));
  return std::move(*loaded);
}

std::string error_of(std::string_view body) {
  const auto loaded = load_rules("policy.yaml", std::string(kHead).append(body), {});
  REQUIRE(!loaded.has_value());
  return loaded.error();
}

template <class Rule>
Names names_of(const std::vector<Rule>& rules) {
  Names names;
  for (const Rule& rule : rules) names.push_back(rule.name);
  return names;
}

bool has_note(const LoadedRules& loaded, std::string_view note) {
  CAPTURE(loaded.notes);
  return std::ranges::find(loaded.notes, note) != loaded.notes.end();
}

Names default_predicate_names() {
  return {"CheckNodeUnschedulable", "GeneralPredicates",       "NoDiskConflict",
          "PodToleratesNodeTaints", "MaxEBSVolumeCount",       "MaxGCEPDVolumeCount",
          "MaxCSIVolumeCountPred",  "MaxAzureDiskVolumeCount", "CheckVolumeBinding",
          "NoVolumeZoneConflict",   "MatchInterPodAffinity"};
}

Names default_priority_names() {
  return {"BalancedResourceAllocation", "ImageLocalityPriority",  "InterPodAffinityPriority",
          "LeastRequestedPriority",     "NodeAffinityPriority",   "NodePreferAvoidPodsPriority",
          "SelectorSpreadPriority",     "TaintTolerationPriority"};
}

TEST_CASE("which predicates a policy asks for, in order of evaluation") {
  struct Row {
    const char* sentence;
    const char* body;
    Names names;
  };
  const Row rows[] = {
      {"none named are the default provider's", "", default_predicate_names()},
      {"null is as none named", "predicates: null", default_predicate_names()},
      {"an empty list is the mandatory two",
       "predicates: []",
       {"CheckNodeUnschedulable", "PodToleratesNodeTaints"}},
      {"they stand in upstream's order, not the file's",
       "predicates: [{name: NoDiskConflict}, {name: GeneralPredicates}, {name: CheckNodeCondition}]",
       {"CheckNodeCondition", "CheckNodeUnschedulable", "GeneralPredicates", "NoDiskConflict",
        "PodToleratesNodeTaints"}},
      {"a mandatory one that is named is not added again",
       "predicates: [{name: PodToleratesNodeTaints}]",
       {"CheckNodeUnschedulable", "PodToleratesNodeTaints"}},
      {"an alias keeps its name and stands where its rule does",
       "predicates: [{name: PodSelectorMatches}, {name: PodFitsPorts}, {name: PodFitsHost}]",
       {"CheckNodeUnschedulable", "PodFitsHost", "PodFitsPorts", "PodSelectorMatches",
        "PodToleratesNodeTaints"}},
      {"one with an argument stands where its kind does, two of them in the file's order",
       "predicates:\n"
       "- {name: Zoned, argument: {labelsPresence: {labels: [zone], presence: true}}}\n"
       "- {name: CheckNodeMemoryPressure}\n"
       "- {name: Alive, argument: {labelsPresence: {labels: [dead]}}}\n",
       {"CheckNodeUnschedulable", "PodToleratesNodeTaints", "Zoned", "Alive", "CheckNodeMemoryPressure"}},
      {"one that takes another rule's name stands in that rule's place",
       "predicates: [{name: CheckNodeCondition, argument: {labelsPresence: {labels: [a]}}}]",
       {"CheckNodeCondition", "CheckNodeUnschedulable", "PodToleratesNodeTaints"}},
      {"one that takes a mandatory rule's name is that rule",
       "predicates: [{name: PodToleratesNodeTaints, argument: {labelsPresence: {labels: [a]}}}]",
       {"CheckNodeUnschedulable", "PodToleratesNodeTaints"}},
      {"a name that is there twice runs once",
       "predicates: [{name: HostName}, {name: HostName}]",
       {"CheckNodeUnschedulable", "HostName", "PodToleratesNodeTaints"}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    CHECK(names_of(load(row.body).sets.front().predicates) == row.names);
  }
}

TEST_CASE("which priorities a policy asks for, by name") {
  struct Row {
    const char* sentence;
    const char* body;
    Names names;
  };
  const Row rows[] = {
      {"none named are the default provider's", "", default_priority_names()},
      {"null is as none named", "priorities: null", default_priority_names()},
      {"an empty list is none", "priorities: []", {}},
      {"they stand in order of their names",
       "priorities: [{name: MostRequestedPriority, weight: 1}, {name: EqualPriority, weight: 2}]",
       {"EqualPriority", "MostRequestedPriority"}},
      {"capitals come before small letters",
       "priorities: [{name: aa, weight: 1, argument: {labelPreference: {label: x}}}, {name: ZZ, weight: 1, "
       "argument: "
       "{labelPreference: {label: x}}}]",
       {"ZZ", "aa"}},
      {"a name that is there twice runs once",
       "priorities: [{name: EqualPriority, weight: 1}, {name: EqualPriority, weight: 7}]",
       {"EqualPriority"}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    CHECK(names_of(load(row.body).sets.front().priorities) == row.names);
  }
}

TEST_CASE("the default provider weighs all alike but for NodePreferAvoidPodsPriority") {
  const RuleSet rules = classic_rules({}).sets.front();
  CHECK(names_of(rules.predicates) == default_predicate_names());
  CHECK(names_of(rules.priorities) == default_priority_names());
  for (const ConfiguredPriority& priority : rules.priorities) {
    CAPTURE(priority.name);
    CHECK(priority.weight == (priority.name == "NodePreferAvoidPodsPriority" ? 10000 : 1));
    CHECK(priority.bind != nullptr);
    CHECK(priority.has_map == priorities::find_classic(priority.name)->has_map);
  }
  CHECK(!rules.always_check_all_predicates);
}

TEST_CASE("a policy's own numbers and arguments arrive") {
  const RuleSet rules = load(R"(
hardPodAffinitySymmetricWeight: 100
alwaysCheckAllPredicates: true
predicates:
- {name: Labelled, argument: {labelsPresence: {labels: [a, b], presence: true}}}
priorities:
- {name: InterPodAffinityPriority, weight: 1}
- {name: Ssd, weight: 922337203685477578, argument: {labelPreference: {label: disk, presence: true}}}
)")
                            .sets.front();
  CHECK(rules.always_check_all_predicates);
  REQUIRE(rules.predicates.size() == 3);
  CHECK(rules.predicates[2].bind == predicates::find_classic("CheckNodeLabelPresence")->bind);
  const auto* const presence = rules.predicates[2].arguments.get_if<LabelsPresence>();
  REQUIRE(presence != nullptr);
  CHECK(presence->labels == Names{"a", "b"});
  CHECK(presence->presence);
  REQUIRE(rules.priorities.size() == 2);
  const auto* const hard = rules.priorities[0].arguments.get_if<HardPodAffinity>();
  REQUIRE(hard != nullptr);
  CHECK(hard->weight == 100);
  CHECK(rules.priorities[1].weight == 922337203685477578);
  const auto* const preference = rules.priorities[1].arguments.get_if<LabelPreference>();
  REQUIRE(preference != nullptr);
  CHECK(preference->label == "disk");
  CHECK(preference->presence);
}

TEST_CASE("of two entries with one name the last counts, but one without an argument changes no function") {
  const RuleSet rules = load(R"(
predicates:
- {name: Mine, argument: {labelsPresence: {labels: [a]}}}
- {name: Mine, argument: {labelsPresence: {labels: [b]}}}
- {name: Mine}
priorities:
- {name: Ssd, weight: 1, argument: {labelPreference: {label: a}}}
- {name: Ssd, weight: 2, argument: {labelPreference: {label: b}}}
- {name: Ssd, weight: 3}
)")
                            .sets.front();
  REQUIRE(rules.predicates.size() == 3);
  CHECK(rules.predicates[2].arguments.get<LabelsPresence>().labels == Names{"b"});
  REQUIRE(rules.priorities.size() == 1);
  CHECK(rules.priorities[0].arguments.get<LabelPreference>().label == "b");
  CHECK(rules.priorities[0].weight == 3);
}

TEST_CASE("the gate ExactV116 has requests counted and zones read as v1.16 does") {
  const LoadedRules today = classic_rules({.exact_v116 = false});
  CHECK(today.sets.front().accounting == Accounting::kToday);
  CHECK(!today.sets.front().exact_zones);
  const LoadedRules exact = classic_rules({.exact_v116 = true});
  CHECK(exact.sets.front().accounting == Accounting::kV116);
  CHECK(exact.sets.front().exact_zones);
  CHECK(today.notes.size() == exact.notes.size() + 1);
}

TEST_CASE("JSON is read like YAML") {
  const auto loaded = load_rules("policy.json", R"({"kind": "Policy", "apiVersion": "v1", "predicates": [
    {"name": "HostName"}], "priorities": [{"name": "EqualPriority", "weight": 2}]})",
                                 {.exact_v116 = true});
  REQUIRE(loaded.has_value());
  CHECK(names_of(loaded->sets.front().predicates) ==
        Names{"CheckNodeUnschedulable", "HostName", "PodToleratesNodeTaints"});
  CHECK(loaded->sets.front().priorities.at(0).weight == 2);
}

TEST_CASE("what a policy is refused for, with the place and what was expected") {
  struct Row {
    const char* sentence;
    const char* body;
    const char* says;
  };
  const Row rows[] = {
      {"a predicate that is nearly known", "predicates: [{name: hostname}]",
       "predicates[0].name: unknown predicate \"hostname\" (did you mean \"HostName\"?)"},
      {"an older name", "predicates: [{name: NoVolumeNodeConflict}]",
       "predicates[0].name: unknown predicate \"NoVolumeNodeConflict\": CheckVolumeBinding does its work in "
       "a Policy"},
      {"a plugin's name", "priorities: [{name: NodeResourcesFit, weight: 1}]",
       "priorities[0].name: unknown priority \"NodeResourcesFit\": LeastRequestedPriority does its work in a "
       "Policy"},
      {"a predicate that nobody knows", "predicates: [{name: HostName}, {name: Frobnicate}]",
       "predicates[1].name: unknown predicate \"Frobnicate\"; one under a name of your own needs an "
       "argument: "
       "expression, labelsPresence or serviceAffinity"},
      {"a priority among the predicates", "predicates: [{name: equalPriority}]",
       "predicates[0].name: \"EqualPriority\" is a priority: it belongs under priorities"},
      {"a predicate among the priorities", "priorities: [{name: HostName, weight: 1}]",
       "priorities[0].name: \"HostName\" is a predicate: it belongs under predicates"},
      {"a predicate without a name", "predicates: [{}]", "predicates[0].name: is missing"},
      {"a predicate that is no object", "predicates: [HostName]",
       "predicates[0]: \"HostName\" is not an object"},
      {"predicates that are no list", "predicates: {name: HostName}", "predicates: an object is not a list"},
      {"CheckNodeLabelPresence without its labels", "predicates: [{name: CheckNodeLabelPresence}]",
       "predicates[0].name: \"CheckNodeLabelPresence\" needs an argument: labelsPresence"},
      {"CheckServiceAffinity without its labels", "predicates: [{name: CheckServiceAffinity}]",
       "predicates[0].name: \"CheckServiceAffinity\" needs an argument: serviceAffinity"},
      {"an argument with nothing in it", "predicates: [{name: Mine, argument: {}}]",
       "predicates[0].argument: exactly 1 of expression, labelsPresence, serviceAffinity is required, 0 are "
       "given"},
      {"an argument with two members",
       "predicates: [{name: Mine, argument: {labelsPresence: {}, serviceAffinity: {}}}]",
       "predicates[0].argument: exactly 1 of expression, labelsPresence, serviceAffinity is required, 2 are "
       "given"},
      {"a priority's argument for a predicate",
       "predicates: [{name: Mine, argument: {labelPreference: {label: a}}}]",
       "predicates[0].argument: labelPreference is an argument of priorities"},
      {"a predicate's argument for a priority",
       "priorities: [{name: Mine, weight: 1, argument: {serviceAffinity: {labels: [a]}}}]",
       "priorities[0].argument: serviceAffinity is an argument of predicates"},
      {"a label that is a number", "predicates: [{name: Mine, argument: {labelsPresence: {labels: [7]}}}]",
       "predicates[0].argument.labelsPresence.labels[0]: 7 is not a string"},
      {"a name of one's own with a dot in it",
       "predicates: [{name: my.rule, argument: {labelsPresence: {labels: [a]}}}]",
       "predicates[0].name: \"my.rule\" does not match [a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])"},
      {"an expression that does not compile",
       "predicates: [{name: cool, argument: {expression: {filter: 'node.podz < 3'}}}]",
       "predicates[0].argument.expression.filter: 1:5: undefined field 'podz' (did you mean \"pods\"?)"},
      {"an expression of a wrong type",
       "priorities: [{name: idle, weight: 1, argument: {expression: {score: 'node.pods < 3'}}}]",
       "priorities[0].argument.expression.score: is a bool, expected a number"},
      {"an expression without a filter", "predicates: [{name: cool, argument: {expression: {reason: hot}}}]",
       "predicates[0].argument.expression: Required value: a filter or a score"},
      {"a score of a predicate",
       "predicates: [{name: cool, argument: {expression: {filter: 'true', score: '1'}}}]",
       "predicates[0].argument.expression: score is of priorities: expected a filter"},
      {"a filter of a priority",
       "priorities: [{name: idle, weight: 1, argument: {expression: {filter: 'true'}}}]",
       "priorities[0].argument.expression: filter is of predicates: expected a score"},
      {"a filter that is no text", "predicates: [{name: cool, argument: {expression: {filter: true}}}]",
       "predicates[0].argument.expression.filter: true is not a string"},
      {"parameters that are a list",
       "predicates: [{name: cool, argument: {expression: {filter: 'true', params: [1]}}}]",
       "predicates[0].argument.expression.params: a list is not an object"},
      {"a word for errors that nobody knows",
       "priorities: [{name: idle, weight: 1, argument: {expression: {score: '1', onError: skip}}}]",
       "priorities[0].argument.expression.onError: Unsupported value: \"skip\": supported values: "
       "\"fail\", \"fit\", \"refuse\""},
      {"a weight of nothing", "priorities: [{name: EqualPriority}]",
       "priorities[0].weight: 0 is out of range (1 to 922337203685477579)"},
      {"a weight below nothing", "priorities: [{name: EqualPriority, weight: -1}]",
       "priorities[0].weight: -1 is out of range (1 to 922337203685477579)"},
      {"a weight that upstream's int cannot multiply",
       "priorities: [{name: EqualPriority, weight: 922337203685477580}]",
       "priorities[0].weight: 922337203685477580 is out of range (1 to 922337203685477579)"},
      {"a weight with a fraction", "priorities: [{name: EqualPriority, weight: 1.5}]",
       "priorities[0].weight: 1.5 is not a 64-bit integer"},
      {"weights that together are too much",
       "priorities: [{name: EqualPriority, weight: 922337203685477579}, {name: MostRequestedPriority, "
       "weight: 2}]",
       "priorities: total priority of priority functions has overflown"},
      {"a hard weight over the range", "hardPodAffinitySymmetricWeight: 101",
       "hardPodAffinitySymmetricWeight: 101 is out of range (1 to 100)"},
      {"a hard weight under the range", "hardPodAffinitySymmetricWeight: -1",
       "hardPodAffinitySymmetricWeight: -1 is out of range (1 to 100)"},
      {"a switch that is a word", "alwaysCheckAllPredicates: 'true'",
       "alwaysCheckAllPredicates: \"true\" is not a boolean"},
      {"a shape without points",
       "priorities: [{name: Packed, weight: 1, argument: {requestedToCapacityRatioArguments: {}}}]",
       "priorities[0].argument.requestedToCapacityRatioArguments: shape: at least one point must be "
       "specified"},
      {"a shape that goes back",
       "priorities: [{name: Packed, weight: 1, argument: {requestedToCapacityRatioArguments: "
       "{shape: [{utilization: 50, score: 1}, {utilization: 50, score: 2}]}}}]",
       "priorities[0].argument.requestedToCapacityRatioArguments: shape: utilization values must be sorted. "
       "Utilization[0]==50 >= Utilization[1]==50"},
      {"a shape beyond full",
       "priorities: [{name: Packed, weight: 1, argument: {requestedToCapacityRatioArguments: "
       "{shape: [{utilization: 101, score: 1}]}}}]",
       "priorities[0].argument.requestedToCapacityRatioArguments: shape: utilization values must not be "
       "greater than "
       "100. Utilization[0]==101"},
      {"a score beyond ten",
       "priorities: [{name: Packed, weight: 1, argument: {requestedToCapacityRatioArguments: "
       "{shape: [{utilization: 0, score: 11}]}}}]",
       "priorities[0].argument.requestedToCapacityRatioArguments: shape: score values must not be greater "
       "than 10. "
       "Score[0]==11"},
      {"a resource that weighs less than nothing",
       "priorities: [{name: Packed, weight: 1, argument: {requestedToCapacityRatioArguments: "
       "{shape: [{utilization: 0, score: 1}], resources: [{name: cpu, weight: -1}]}}}]",
       "priorities[0].argument.requestedToCapacityRatioArguments.resources[0]: weight: -1 is less than 0"},
      {"a managed resource that is not extended", "extenders: [{}, {managedResources: [{name: cpu}]}]",
       "extenders[1].managedResources[0]: name: cpu is an invalid extended resource name"},
      {"a managed resource without a name", "extenders: [{managedResources: [{}]}]",
       "extenders[0].managedResources[0]: name: name part must be non-empty; name part must consist of "
       "alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
       "(e.g. "
       "'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
       "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"},
      {"a resource that two extenders manage",
       "extenders: [{managedResources: [{name: a.com/b}]}, {managedResources: [{name: a.com/b}]}]",
       "extenders[1].managedResources[0]: name: duplicate extender managed resource name a.com/b"},
      {"an ignoredByScheduler that is no boolean",
       "extenders: [{managedResources: [{name: a.com/b, ignoredByScheduler: 1}]}]",
       "extenders[0].managedResources[0].ignoredByScheduler: 1 is not a boolean"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    CHECK(error_of(row.body) == std::string("policy.yaml: ").append(row.says));
  }
}

TEST_CASE("files that are no Policy are refused") {
  struct Row {
    const char* sentence;
    const char* text;
    const char* says;
  };
  const Row rows[] = {
      {"an empty file", "",
       "f: the file is empty; expected a Policy (apiVersion: v1, kind: Policy) or a "
       "KubeSchedulerConfiguration "
       "(apiVersion: kubescheduler.config.k8s.io/v1)"},
      {"a file that holds a word", "Policy", "f: \"Policy\" is not an object"},
      {"another kind", "kind: Pod\napiVersion: v1\n",
       "f: kind: \"Pod\" is neither Policy nor KubeSchedulerConfiguration: give the file that the "
       "container's "
       "--config names"},
      {"another version", "kind: Policy\napiVersion: v2\n",
       "f: apiVersion: \"v2\" is not v1, a Policy's only version"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    const auto loaded = load_rules("f", row.text, {});
    REQUIRE(!loaded.has_value());
    CHECK(loaded.error() == row.says);
  }
  const auto broken = load_rules("f", "{\"kind\": \"Policy\",\n}", {});
  REQUIRE(!broken.has_value());
  CHECK(broken.error().starts_with("f: line 2, column 1: "));
}

TEST_CASE("no name that a v1.16 Policy can hold is missing") {
  for (const std::string_view name : predicates::classic_names())
    CHECK(predicates::find_classic(name)->bind != nullptr);
  for (const priorities::Record& row : priorities::classic()) CHECK(row.bind != nullptr);
}

TEST_CASE("an argument that no rule of the list takes makes none") {
  std::vector<std::string> notes;
  CHECK(make_predicates({{"Own", {"labelPreference", LabelPreference{"disk", true}}}}, {}, notes).error() ==
        "predicates[0].name: no predicate takes labelPreference");
  CHECK(
      make_priorities({{"Own", 1, {"labelsPresence", LabelsPresence{{"disk"}, true}}}}, {}, notes).error() ==
      "priorities[0].name: no priority takes labelsPresence");
}

TEST_CASE("upstream's gates change the default provider and what is mandatory") {
  const auto defaults = [](const Gates& gates) { return classic_rules(gates).sets.front(); };
  const auto with = [](Names names, std::initializer_list<const char*> more) {
    names.insert(names.end(), more.begin(), more.end());
    return names;
  };
  const auto sorted = [](Names names) {
    std::ranges::sort(names);
    return names;
  };
  CHECK(names_of(defaults({.even_pods_spread = true}).predicates) ==
        Names{"CheckNodeUnschedulable", "GeneralPredicates", "NoDiskConflict", "PodToleratesNodeTaints",
              "MaxEBSVolumeCount", "MaxGCEPDVolumeCount", "MaxCSIVolumeCountPred", "MaxAzureDiskVolumeCount",
              "CheckVolumeBinding", "NoVolumeZoneConflict", "EvenPodsSpread", "MatchInterPodAffinity"});
  CHECK(names_of(defaults({.even_pods_spread = true}).priorities) ==
        sorted(with(default_priority_names(), {"EvenPodsSpreadPriority"})));
  CHECK(names_of(defaults({.resource_limits_priority = true}).priorities) ==
        sorted(with(default_priority_names(), {"ResourceLimitsPriority"})));
  CHECK(names_of(defaults({.taint_nodes_by_condition = false}).predicates) ==
        Names{"CheckNodeCondition", "GeneralPredicates", "NoDiskConflict", "PodToleratesNodeTaints",
              "MaxEBSVolumeCount", "MaxGCEPDVolumeCount", "MaxCSIVolumeCountPred", "MaxAzureDiskVolumeCount",
              "CheckVolumeBinding", "NoVolumeZoneConflict", "CheckNodeMemoryPressure", "CheckNodePIDPressure",
              "CheckNodeDiskPressure", "MatchInterPodAffinity"});
  const LoadedRules by_condition = load("predicates: []", {.taint_nodes_by_condition = false});
  CHECK(names_of(by_condition.sets.front().predicates) == Names{"CheckNodeCondition"});
  CHECK(has_note(by_condition, "predicates: CheckNodeCondition is mandatory, added"));
  const Gates overhead{.exact_v116 = true, .pod_overhead = true};
  CHECK(defaults(overhead).accounting == Accounting::kV116WithOverhead);
  CHECK(defaults({.pod_overhead = true}).accounting == Accounting::kToday);
}

TEST_CASE("the gate AttachVolumeLimit is an argument of the rules that limit volumes") {
  const auto limited = [](const Gates& gates) {
    Names names;
    const LoadedRules rules = classic_rules(gates);
    for (const ConfiguredPredicate& predicate : rules.sets.front().predicates)
      if (const auto* const limits = predicate.arguments.get_if<AttachLimits>(); limits && !limits->by_node)
        names.push_back(predicate.name);
    return names;
  };
  CHECK(limited({}).empty());
  CHECK(limited({.attach_volume_limit = false}) == Names{"MaxEBSVolumeCount", "MaxGCEPDVolumeCount",
                                                         "MaxCSIVolumeCountPred", "MaxAzureDiskVolumeCount"});
}

TEST_CASE("resources that extenders manage are an argument of the rules that check resources") {
  const RuleSet rules = load(R"(
predicates: [{name: PodFitsResources}, {name: GeneralPredicates}, {name: HostName}]
extenders:
- urlPrefix: http://a
  managedResources: [{name: example.com/gpu, ignoredByScheduler: true}, {name: example.com/fpga}]
- {urlPrefix: http://b, ManagedResources: [{Name: example.com/nic, IgnoredByScheduler: true}]}
- {urlPrefix: http://c, managedResources: null}
)")
                            .sets.front();
  for (const ConfiguredPredicate& predicate : rules.predicates) {
    CAPTURE(predicate.name);
    const auto* const ignored = predicate.arguments.get_if<IgnoredResources>();
    const bool checks = predicate.name == "PodFitsResources" || predicate.name == "GeneralPredicates";
    CHECK((ignored != nullptr) == checks);
    if (ignored) CHECK(ignored->names == Names{"example.com/gpu", "example.com/nic"});
  }
  const RuleSet none =
      load("extenders: [{urlPrefix: http://a, managedResources: [{name: example.com/gpu}]}]").sets.front();
  for (const ConfiguredPredicate& predicate : none.predicates)
    CHECK(predicate.arguments.get_if<IgnoredResources>() == nullptr);
}

TEST_CASE("what is ignored of extenders, and what they ignore, is said") {
  const LoadedRules rules = load(R"(
predicates: [{name: PodFitsResources}]
extenders:
- {urlPrefix: http://a, Ignorable: true, ignoreable: false, managedResources: [{name: a.com/b, ignoredByScheduler: true}]}
)");
  CHECK(std::ranges::contains(rules.notes,
                              "extenders: a.com/b is ignoredByScheduler, so PodFitsResources ignores it "
                              "here as it does there"));
  CHECK(rules.warnings == Names{"extenders[0].ignoreable: not a field of a Policy, ignored (did you mean "
                                "\"ignorable\"?)"});
}

TEST_CASE("a name that a gate brings is no departure while the gate is on") {
  const auto count = [](const char* name, const Gates& gates) {
    return load(std::format("predicates: [{{name: {}}}]", name), gates).notes.size();
  };
  Gates on{.exact_v116 = true, .even_pods_spread = true};
  CHECK(count("EvenPodsSpread", {.exact_v116 = true}) == count("EvenPodsSpread", on) + 1);
  Gates by_condition{.exact_v116 = true, .taint_nodes_by_condition = false};
  CHECK(count("CheckNodeUnschedulable", by_condition) == count("NoDiskConflict", by_condition) + 1);
}

TEST_CASE("what start-up says about a policy") {
  struct Row {
    const char* sentence;
    const char* body;
    const char* note;
  };
  const Row rows[] = {
      {"a field that is none", "predicates: [{name: HostName, argumnet: {}}]",
       "predicates[0].argumnet: not a field of a Policy, ignored (did you mean \"argument\"?)"},
      {"a field in another case is none", "Predicates: []",
       "Predicates: not a field of a Policy, ignored (did you mean \"predicates\"?)"},
      {"a field of an argument that is none",
       "predicates: [{name: Mine, argument: {labelsPresence: {labels: [a], present: true}}}]",
       "predicates[0].argument.labelsPresence.present: not a field of a Policy, ignored (did you mean "
       "\"presence\"?)"},
      {"extenders are somebody else's, and their passwords nobody's",
       "extenders: [{urlPrefix: 'http://me:secret@a/b'}, {URLPrefix: 'http://b'}, {}]",
       R"(extenders: not used here, 3 in the file: "http://a/b", "http://b", (no urlPrefix))"},
      {"a predicate under a name of one's own runs",
       "predicates: [{name: Mine, argument: {labelsPresence: {labels: [a]}}}]",
       "predicates[0]: Mine runs here, as CheckNodeLabelPresence; v1.16 accepts a predicate under such a "
       "name and "
       "never runs it"},
      {"an argument may take a known name",
       "predicates: [{name: NoDiskConflict, argument: {labelsPresence: {labels: [a]}}}]",
       "predicates[0]: labelsPresence makes NoDiskConflict a CheckNodeLabelPresence"},
      {"an argument may take a known priority's name",
       "priorities: [{name: EqualPriority, weight: 1, argument: {labelPreference: {label: a}}}]",
       "priorities[0]: labelPreference takes the place of EqualPriority"},
      {"PodFitsPorts is run", "predicates: [{name: PodFitsPorts}]",
       "predicates[0]: PodFitsPorts is PodFitsHostPorts here; v1.16 accepts the name and never runs it"},
      {"CheckNodeCondition is run", "predicates: [{name: CheckNodeCondition}]",
       "predicates[0]: CheckNodeCondition runs here; v1.16 at these feature gates refuses the name"},
      {"a mandatory predicate is added", "predicates: [{name: PodToleratesNodeTaints}]",
       "predicates: CheckNodeUnschedulable is mandatory, added"},
      {"a name that is there twice", "predicates: [{name: HostName}, {name: HostName}]",
       "predicates[1]: HostName is there twice, this one changes nothing"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    const LoadedRules loaded = load(row.body);
    CAPTURE(loaded.notes);
    CAPTURE(loaded.warnings);
    CHECK(
        (std::ranges::contains(loaded.notes, row.note) || std::ranges::contains(loaded.warnings, row.note)));
  }
}

TEST_CASE("a policy as upstream documents it gives nothing to say") {
  const LoadedRules loaded = load(
      "predicates: [{name: CheckNodeUnschedulable}, {name: PodToleratesNodeTaints},\n"
      "  {name: CheckNodeLabelPresence, argument: {labelsPresence: {labels: [a], presence: false}}}]\n"
      "priorities: [{name: LeastRequestedPriority, weight: 1}]\n");
  CHECK(loaded.notes == Names{});
  CHECK(loaded.warnings == Names{});
}

TEST_CASE("kind and apiVersion may be absent, and that is said") {
  const auto loaded = load_rules("f", "predicates: []\npriorities: []\n", {.exact_v116 = true});
  REQUIRE(loaded.has_value());
  CHECK(has_note(*loaded, "kind: absent, taken for Policy"));
  CHECK(has_note(*loaded, "apiVersion: absent, taken for v1 (v1.16 reads such a file as an empty Policy)"));
}

}  // namespace
}  // namespace winnow
