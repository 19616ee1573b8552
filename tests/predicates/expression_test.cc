// The plugin Expression in a configuration: what it filters, and how it scores.
#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "cluster/api/decode.h"
#include "cluster/api/node.h"
#include "cluster/rule/expression_counts.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "extender/config/gates.h"
#include "extender/config/rules.h"
#include "extender/engine/engines.h"
#include "extender/engine/workers.h"
#include "extender/explain/cause_text.h"
#include "extender/explain/explain.h"
#include "tests/builders.h"

namespace winnow::test {
namespace {

/// A configuration with one Expression beside the default plugins' names.
std::string config_of(const std::string& args, const std::string& point = "multiPoint") {
  return "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n"
         "- schedulerName: default-scheduler\n"
         "  plugins:\n    multiPoint: {disabled: [{name: '*'}], enabled: [{name: PrioritySort}, {name: "
         "DefaultBinder}]}\n    " +
         (point == "multiPoint" ? std::string("filter: {enabled: [{name: Expression/mine}]}\n"
                                              "    score: {enabled: [{name: Expression/mine, weight: 2}]}")
                                : point + ": {enabled: [{name: Expression/mine}]}") +
         "\n  pluginConfig: [{name: Expression/mine, args: " + args + "}]\n";
}

std::expected<LoadedRules, std::string> loaded(const std::string& config) {
  return load_rules("f", config, parse_gates("").value());
}

std::string refused(const std::string& args) {
  const auto rules = loaded(config_of(args));
  return rules ? "" : rules.error();
}

/// Nodes a, b and c of 4, 8 and 2 cores, of which pods use 3, 2 and 0.
struct Bed {
  explicit Bed(const std::string& args) : Bed(loaded(config_of(args)).value()) {}
  explicit Bed(LoadedRules of)
      : rules(std::move(of)), state(state_options(rules)), engines(rules.sets, workers) {
    for (const auto& [name, cpu, used] : {std::tuple("a", "4", "3"), {"b", "8", "2"}, {"c", "2", ""}}) {
      const std::string text =
          std::string(R"({"metadata":{"name":")") + name + R"(","annotations":{"rank":")" + cpu +
          R"("}},"status":{"allocatable":{"cpu":")" + cpu + R"(","memory":"8Gi","pods":"9"}}})";
      state.set_node(decode<Node>(text).value());
      if (*used) state.set_pod(pod(std::string("on-") + name).cpu(used).on(name));
    }
  }
  Explanation explained(const Pod& pod) {
    const View view(state);
    return explain(engines, view, pod, view.all_nodes(), {.suggest = false, .facts = true});
  }
  /// The names of the nodes that fit, sorted.
  std::string fits(const Pod& asking = pod("p")) {
    std::vector<std::string> names;
    for (const NodeExplanation& node : explained(asking).nodes)
      if (node.fits) names.push_back(node.name);
    std::ranges::sort(names);
    std::string all;
    for (const std::string& name : names) all += name;
    return all;
  }
  /// The weighed scores of a, b and c.
  std::string scores() {
    std::map<std::string, std::int64_t> totals;
    for (const NodeExplanation& node : explained(pod("p")).nodes) totals[node.name] = node.total;
    std::string all;
    for (const auto& [name, total] : totals) all += (all.empty() ? "" : " ") + std::to_string(total);
    return all;
  }

  Workers workers{0};
  const LoadedRules rules;
  State state;
  const Engines engines;
};

}  // namespace

TEST_CASE("a Policy has rules of one's own, under names of one's own, and their scores end at 10") {
  const auto in_policy = [](const std::string& predicate, const std::string& priority) {
    return "apiVersion: v1\nkind: Policy\npredicates: [{name: HostName}, {name: cool, argument: "
           "{expression: " +
           predicate + "}}]\npriorities: [{name: idle, weight: 2, argument: {expression: " + priority +
           "}}]\n";
  };
  Bed bed(loaded(in_policy("{filter: 'node.requested.cpu < 1.0'}", "{score: 'node.allocatable.cpu * 2.0'}"))
              .value());
  CHECK(bed.fits() == "c");
  const Explanation all = bed.explained(pod("p"));
  for (const NodeExplanation& node : all.nodes) {
    if (node.name != "a") continue;
    CHECK(node.filters.back().rule == "cool");
    CHECK(node.filters.back().reasons == std::vector<std::string>{"node(s) didn't pass cool"});
  }
  const auto scores_by = [&](const std::string& priority) {
    return Bed(loaded(in_policy("{filter: 'true'}", priority)).value()).scores();
  };
  CHECK(scores_by("{score: 'node.allocatable.cpu * 2.0'}") == "16 20 8");
  CHECK(scores_by("{score: 'node.allocatable.cpu', normalize: reverse}") == "10 0 14");
  CHECK(scores_by("{score: '1', when: 'false'}") == "0 0 0");
  CHECK(scores_by("{score: 'double(params.least)', params: {least: 3}}") == "6 6 6");
}

TEST_CASE("evaluations, errors and their cost are counted by the rule's name") {
  const auto counted = [](std::string_view rule) {
    for (CountedExpression& one : counted_expressions().all())
      if (one.rule == rule) return one;
    return CountedExpression{std::string(rule), 0, 0, 0};
  };
  const CountedExpression before = counted("Expression/mine");
  Bed bed(
      "{filter: \"node.metadata.annotations['rank'] != '4' || node.metadata.annotations['none'] == 'x'\"}");
  CHECK(bed.fits() == "abc");
  const CountedExpression after = counted("Expression/mine");
  CHECK(after.evaluations - before.evaluations == 3);
  CHECK(after.errors - before.errors == 1);
  CHECK(after.cost > before.cost);
}

TEST_CASE("so many rules have counts of their own, and the others share some") {
  CountedExpressions counts;
  for (int i = 0; i < 500; ++i) counts.of("rule-" + std::to_string(i)).add(1, 1, 2);
  counts.of("rule-0").add(1, 0, 1);
  const std::vector<CountedExpression> all = counts.all();
  REQUIRE(all.size() == CountedExpressions::kMost + 1);
  CHECK(all.front().rule == CountedExpressions::kOther);
  CHECK(all.front().errors == 500 - CountedExpressions::kMost);
  CHECK(all[1].rule == "rule-0");
  CHECK(all[1].evaluations == 2);
  CHECK(all[1].errors == 1);
  CHECK(all[1].cost == 3);
}

TEST_CASE("a score that is none counts as the nearest one, which is explained") {
  Bed bed("{score: '150.0 * node.allocatable.cpu - 500.0'}");  // 100, 700 and -200.
  CHECK(bed.scores() == "200 200 0");
  const Explanation all = bed.explained(pod("p"));
  std::string told;
  for (const NodeExplanation& node : all.nodes)
    for (const Cause& fact : node.scores.back().facts) told += to_text(fact) + '\n';
  CHECK_MESSAGE(
      told.contains("Expression/mine gives 700.0, which counts as 100: 150.0 * node.allocatable.cpu"), told);
  CHECK_MESSAGE(told.contains("Expression/mine gives -200.0, which counts as 0: "), told);
  CHECK_MESSAGE(told.contains("Expression/mine gives 100.0: "), told);
}

TEST_CASE("with onError: fail a score that fails on a node fails the pod") {
  Bed bed("{score: \"double(node.metadata.annotations['none'])\", onError: fail}");
  const Explanation all = bed.explained(pod("p"));
  CHECK_FALSE(all.nodes.front().scored);
  CHECK_MESSAGE(all.error.value_or("").contains("Expression/mine: node "), all.error.value_or("no error"));
}

TEST_CASE("a part of a reason may end in a map") {
  CHECK(refused(R"({filter: 'true', reason: 'a {{ {"x": {"y": 1}}["x"]["y"] }} b {{ {"x": {"y": 2}} }}'})") ==
        "");
  CHECK(refused("{filter: 'true', reason: '{{ node.pods'}")
            .ends_with("args.reason: {{ without an end: expected {{ EXPRESSION }}"));
}

TEST_CASE("now is the time of the request, for all of it") {
  Bed bed("{filter: 'now == timestamp(\"2026-01-02T03:04:05.5Z\")'}");
  const View view(bed.state);
  const Pod asking = pod("p");
  const std::vector<NodeId> nodes = view.all_nodes();
  const auto fit_at = [&](std::int64_t milliseconds) {
    const Budget budget(std::chrono::steady_clock::now() + std::chrono::hours(1), nullptr,
                        std::chrono::steady_clock::now(),
                        Budget::Wall(std::chrono::milliseconds(milliseconds)));
    PassTimes unused;
    const Filtered all = bed.engines.find(asking)->filter(
        {.pod = asking, .view = view, .nodes = nodes, .budget = &budget}, /*all_rules=*/false, unused);
    return all.fits(0) && all.fits(1) && all.fits(2);
  };
  CHECK(fit_at(1'767'323'045'500));
  CHECK_FALSE(fit_at(1'767'323'045'501));
}

TEST_CASE("a node passes where the filter is true") {
  CHECK(Bed("{filter: 'node.requested.cpu < 0.5 * node.allocatable.cpu'}").fits() == "bc");
  CHECK(Bed("{filter: \"int(node.metadata.annotations['rank']) >= 4\"}").fits() == "ab");
  CHECK(Bed("{filter: 'node.allocatable.cpu >= double(params.least)', params: {least: 8}}").fits() == "b");
  CHECK(Bed("{score: '1'}").fits() == "abc");
}

TEST_CASE("the rule is for the pods that `when` names") {
  Bed bed("{filter: 'false', when: \"has(pod.metadata.labels) && 'app' in pod.metadata.labels\"}");
  CHECK(bed.fits() == "abc");
  Pod labelled = pod("p").label("app", "x");
  labelled.fields = R"({"metadata":{"labels":{"app":"x"}}})";
  CHECK(bed.fits(labelled) == "");
}

TEST_CASE("an evaluation that fails does as onError says") {
  const std::string failing = "filter: \"node.metadata.annotations['none'] == 'x'\"";
  CHECK(Bed("{" + failing + "}").fits() == "abc");
  CHECK(Bed("{" + failing + ", onError: refuse}").fits() == "");
  Bed bed("{" + failing + ", onError: fail}");
  CHECK(bed.explained(pod("p")).error.value_or("").contains("no such key"));
  CHECK(Bed("{score: \"double(node.metadata.annotations['none'])\"}").scores() == "0 0 0");
}

TEST_CASE("scores are normalised, clamped and rounded down") {
  const std::string cores = "score: 'node.allocatable.cpu * 10.3'";  // 41.2, 82.4 and 20.6
  CHECK(Bed("{" + cores + "}").scores() == "82 164 40");
  CHECK(Bed("{" + cores + ", normalize: linear}").scores() == "100 200 50");
  CHECK(Bed("{" + cores + ", normalize: reverse}").scores() == "100 0 150");
  CHECK(Bed("{score: 'node.allocatable.cpu * 30.0 - 100.0'}").scores() == "40 200 0");
  CHECK(Bed("{score: '7'}").scores() == "14 14 14");
}

TEST_CASE("a refusal tells what was read, and the reason with its parts") {
  Bed bed("{filter: 'node.requested.cpu < 1.0', reason: 'has {{node.requested.cpu}} in use'}");
  for (const NodeExplanation& node : bed.explained(pod("p")).nodes) {
    if (node.name != "a") continue;
    REQUIRE(node.filters.size() == 1);
    CHECK(node.filters[0].reasons == std::vector<std::string>{"has … in use"});
    REQUIRE(node.filters[0].causes.size() == 1);
    CHECK(to_text(node.filters[0].causes[0]) == "has 3 in use (node.requested.cpu 3.0)");
  }
}

TEST_CASE("what is wrong with the arguments is told with their place") {
  CHECK(refused("{filter: 'node.requestd.cpu < 1.0'}")
            .contains("pluginConfig[0].args.filter: 1:5: undefined field 'requestd'"));
  CHECK(refused("{filter: 'node.pods'}").contains("args.filter: is a int, expected a bool"));
  CHECK(refused("{reason: x}").contains("Required value: a filter or a score"));
  CHECK(refused("{score: '1', normalize: up}").contains(R"(args.normalize: Unsupported value: "up")"));
  CHECK(refused("{score: '1', onError: skip}").contains(R"(args.onError: Unsupported value: "skip")"));
  CHECK(refused("{filter: 'true', reason: 'a {{b'}")
            .contains("args.reason: {{ without an end: expected {{ EXPRESSION }}"));
  for (const std::string share : {"'0.5'", "11", "-1", "{}"})
    CHECK(refused("{filter: 'true', params: {a: 1}, assumeUsage: " + share + "}")
              .contains("args.assumeUsage: expected a number from 0 to 10"));
  CHECK(refused("{filter: 'true', when: 'node.pods > 1'}").contains("undeclared reference to 'node'"));
  CHECK(refused("{filter: 'true', params: [1]}").contains("args.params"));
  CHECK(refused("{filter: 'true', typo: 1}").contains("typo"));
}

TEST_CASE("several rules have names of their own, and each its arguments") {
  const auto rules = loaded(
      "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n"
      "- plugins:\n    filter: {enabled: [{name: Expression/one}, {name: Expression/two}]}\n"
      "  pluginConfig:\n  - {name: Expression/one, args: {filter: 'true'}}\n"
      "  - {name: Expression/two, args: {filter: 'false'}}\n");
  REQUIRE_MESSAGE(rules, rules.error());
  std::vector<std::string> names;
  for (const ConfiguredPredicate& rule : rules->sets.front().predicates)
    if (rule.name.starts_with("Expression/")) names.push_back(rule.name);
  CHECK(names == std::vector<std::string>{"Expression/one", "Expression/two"});
}

}  // namespace winnow::test
