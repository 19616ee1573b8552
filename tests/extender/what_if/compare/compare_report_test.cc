#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

#include "cluster/text/json.h"
#include "extender/explain/explanation_text.h"
#include "extender/what_if/compare/comparison_report.h"
#include "tests/extender/what_if/compare/two_sides.h"

namespace winnow::test {
namespace {

std::string table_of(const Comparison& result, const ReportOptions& options = {}) {
  std::string out;
  append_comparison(out, result, options);
  return out;
}

std::string json_of(const Comparison& result) {
  std::string out;
  write_json(result, [&](std::string_view piece) { out += piece; });
  return out;
}

std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

/// Weights changed, a rule gone, and a name that would steer a terminal.
void report_cluster(State& state) {
  for (int i = 0; i < 30; ++i) {
    const std::string name = "a-node-with-a-rather-long-name-" + std::to_string(10 + i);
    state.set_node(roomy(name, "4")
                       .label("topology.kubernetes.io/zone", "zone-" + std::to_string(i % 3))
                       .label(i % 2 ? "ssd" : "hdd", ""));
    state.set_pod(pod("runs-" + name).cpu(std::to_string(i * 100) + "m").on(name));
    state.set_pod(pod("a-pod-with-an-even-longer-name-" + std::to_string(i)).cpu("1"));
  }
  state.set_pod(pod("\x1b[31mred").cpu("100m"));
  state.set_pod(pod("large").cpu("4"));
}

const std::string kReportA =
    policy("",
           "{name: LeastRequestedPriority, weight: 1}, {name: LikesSsd, weight: 1, argument: "
           "{labelPreference: {label: ssd, presence: true}}}");
const std::string kReportB =
    policy("{name: OnlySsd, argument: {labelsPresence: {labels: [ssd], presence: true}}}",
           "{name: MostRequestedPriority, weight: 2}");

}  // namespace

TEST_CASE("comparison: what a side does not judge is counted in the first line, and told by side") {
  const auto fill = [](State& state) {
    state.set_node(roomy("n1", "4"));
    Pod spreads = pod("spreads");
    spreads.spec.topology_spread_constraints = {
        {.max_skew = 1, .topology_key = "zone", .when_unsatisfiable = "ScheduleAnyway"}};
    state.set_pod(spreads);
    Pod claims = pod("claims");
    claims.spec.resource_claims = {{.name = "gpu", .resource_claim_name = "one"}};
    state.set_pod(claims);
    state.set_unread(kind_of<ResourceSlice>, true);
  };
  TwoSides mixed(policy("", ""), today(), fill);
  const Comparison by_side = mixed.place();
  const std::string table = table_of(by_side, {.table = {.width = 0}});
  CHECK_MESSAGE(table.contains("0 differ, 2 not judged in full under A, 1 not judged in full under B.\n"),
                table);
  CHECK(table.contains(
      "A: Not judged of 1 pod: spec.topologySpreadConstraints: these rules do not know it.\n"));
  CHECK(json_of(by_side).contains(R"("notJudgedBySide":[{"side":"A","notJudged":{"pods":2,)"));
  TwoSides same(today(), today(), fill);
  const Comparison alike = same.place();
  CHECK(table_of(alike, {.table = {.width = 0}})
            .contains("0 differ, 1 not judged in full.\nNot judged of 1 pod: "));
  CHECK(json_of(alike).contains(R"("notJudged":{"pods":1,)"));
  // Both pods have a node by now.
  for (const bool both : {true, false})
    CHECK(json_of(same.ask_placed(both)).contains(R"("notJudged":{"pods":1,)"));
}

TEST_CASE("comparison, as a table: about a screen, in the width, and nothing steers the terminal") {
  for (const int width : {80, 100, 120}) {
    CAPTURE(width);
    TwoSides sides(kReportA, kReportB, report_cluster);
    Comparison result = sides.place();
    result.config[winnow::kA] = "a.yaml (Policy)";
    result.config[winnow::kB] = "b.yaml (Policy)";
    ReportOptions options;
    options.table.width = width;
    const std::string text = table_of(result, options);
    CHECK(text.starts_with("A: a.yaml (Policy)\nB: b.yaml (Policy)\n"));
    CHECK(text.contains("\n32 pods: "));
    CHECK(text.contains("Why they differ:"));
    CHECK(text.contains("  [1] "));
    CHECK(text.contains("UNDER A"));
    CHECK(text.contains("--all-pods shows all"));
    CHECK(text.contains("cpu requested, fullest node"));
    CHECK_FALSE(text.contains('\x1b'));
    CHECK(lines_in(text) <= 45);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
      CHECK_MESSAGE(columns(line) <= static_cast<std::size_t>(width), line);
    options.all_pods = true;
    const std::string all = table_of(result, options);
    CHECK_FALSE(all.contains("--all-pods"));
    CHECK(lines_in(all) > 45);
    options.unicode = false;
    const std::string ascii = table_of(result, options);
    for (const char* const sign : {"█", "▓", "░", "→"}) CHECK_FALSE(ascii.contains(sign));
  }
}

TEST_CASE("comparison, as a table: nothing differs") {
  TwoSides sides(kReportA, kReportA, [](State& state) {
    report_cluster(state);
    state.set_pod(pod("huge").cpu("9"));
  });
  const std::string text = table_of(sides.place());
  CHECK(text.starts_with("33 pods: 33 the same under both, 0 differ.\n"));
  CHECK_FALSE(text.contains("Why they differ"));
  CHECK_FALSE(text.contains("WHY"));
  CHECK(text.contains("1 pod fits nowhere under both."));
  CHECK(text.contains("What is requested of each node is the same under both."));
}

TEST_CASE("comparison, as a table: pods that run") {
  TwoSides sides(kReportA, kReportB, report_cluster);
  const std::string both = table_of(sides.ask_placed());
  CHECK(both.contains("30 running pods: "));
  CHECK(both.contains("Under A: "));
  CHECK(both.contains("Under B: "));
  CHECK(both.contains("NOW"));
  const std::string one = table_of(sides.ask_placed(/*both=*/false));
  CHECK(one.starts_with("30 running pods: "));
  CHECK_FALSE(one.contains("Under A: "));
  CHECK(one.contains("UNDER A"));
  CHECK_FALSE(one.contains("UNDER B"));
  CHECK(one.contains("Why they would go:"));
}

TEST_CASE("comparison, as a table: the detail of a pod") {
  TwoSides sides(kReportA, kReportB, report_cluster);
  const Comparison result = sides.place({.pod = "default/large"});
  REQUIRE(result.detail);
  std::string text;
  append_detail(text, result, {});
  CHECK(text.starts_with("default/large: A takes "));
  CHECK(text.contains("Why: "));
  TwoSides others(kReportA, kReportB, report_cluster);
  const Comparison scored = others.place({.pod = "default/a-pod-with-an-even-longer-name-3"});
  REQUIRE(scored.detail);
  std::string matrix;
  append_detail(matrix, scored, {});
  CHECK(matrix.contains("SCORES, weighted"));
  CHECK(matrix.contains("MostRequestedPriority"));
  CHECK(matrix.contains("\n  total "));
  std::istringstream lines(matrix);
  for (std::string line; std::getline(lines, line);) CHECK_MESSAGE(columns(line) <= 80, line);
}

TEST_CASE("comparison: the detail of a pod and the table have the same nodes") {
  const Comparison whole = TwoSides(kReportA, kReportB, report_cluster).place();
  std::size_t elsewhere = 0;
  for (const ComparedPod& pod : whole.pods) {
    CAPTURE(pod.name);
    const Comparison one = TwoSides(kReportA, kReportB, report_cluster).place({.pod = pod.name});
    REQUIRE(one.detail);
    const auto node = [&](std::size_t side) {
      return pod.end[side] == PodEnd::kPlaced ? whole.nodes[pod.node[side]].name : "";
    };
    CHECK(one.detail->chosen[winnow::kA] == node(winnow::kA));
    CHECK(one.detail->in_own_run.value_or(one.detail->chosen[winnow::kB]) == node(winnow::kB));
    if (!one.detail->in_own_run) continue;
    ++elsewhere;
    std::string text;
    append_detail(text, one, {.table = {.width = 400}});
    CHECK(text.contains("n B's own run pods before it went elsewhere"));
    CHECK(text.starts_with(pod.name + ": A "));
    CHECK(text.substr(0, text.find('\n')).ends_with("B takes " + node(winnow::kB) + '.'));
  }
  CHECK(elsewhere > 0);
}

TEST_CASE("comparison, as JSON: what the table counts") {
  TwoSides sides(kReportA, kReportB, report_cluster);
  const Comparison result = sides.place({.pod = "default/large"});
  rapidjson::Document json;
  REQUIRE_FALSE(json.Parse(json_of(result).c_str()).HasParseError());
  CHECK(json["same"].GetInt() + json["differ"].GetInt() == 32);
  CHECK(json["differ"].GetUint64() == result.count_differing());
  CHECK(json["untried"].GetInt() == 0);
  CHECK_FALSE(json["cutShort"].GetBool());
  CHECK(json["nodes"].Size() == 30);
  REQUIRE(json["pods"].Size() == 32);
  unsigned pods = 0;
  for (const auto& cause : json["causes"].GetArray()) pods += cause["pods"].GetUint();
  CHECK(pods == json["differ"].GetUint());
  for (const auto& pod : json["pods"].GetArray()) {
    CHECK(pod["differs"].GetBool() == pod.HasMember("cause"));
    for (const char* const side : {"a", "b"})
      CHECK(pod[side].HasMember("node") == (std::string(pod[side]["result"].GetString()) == "placed"));
  }
  CHECK(std::string(json["detail"]["pod"].GetString()) == "default/large");
  CHECK(json["detail"]["turn"].HasMember("text"));
}

TEST_CASE("comparison, as JSON: one configuration has now and a") {
  TwoSides sides(kReportA, kReportB, report_cluster);
  rapidjson::Document json;
  REQUIRE_FALSE(json.Parse(json_of(sides.ask_placed(/*both=*/false)).c_str()).HasParseError());
  REQUIRE(json["pods"].Size() == 30);
  CHECK(json["pods"][0].HasMember("now"));
  CHECK(json["pods"][0].HasMember("a"));
  CHECK_FALSE(json["pods"][0].HasMember("b"));
  for (const auto& cause : json["causes"].GetArray())
    if (cause.HasMember("rules"))
      for (const auto& rule : cause["rules"].GetArray()) CHECK(rule["weight"].MemberCount() == 1);
  CHECK_FALSE(json.HasMember("nodes"));
}

}  // namespace winnow::test
