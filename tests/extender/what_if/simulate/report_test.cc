#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

#include "cluster/text/json.h"
#include "extender/explain/explanation_text.h"
#include "extender/what_if/simulate/changes.h"
#include "extender/what_if/simulate/report_usage.h"
#include "extender/what_if/simulate/simulation.h"
#include "extender/what_if/simulate/simulation_report.h"
#include "tests/extender/what_if/simulate/trial_cluster.h"

namespace winnow::test {
namespace {

NodeFill usage(const std::string& name, const std::string& zone, std::optional<std::int64_t> before,
               std::optional<std::int64_t> after) {
  NodeFill node{.name = name, .zone = zone, .allocatable = {1000, 1000, 10}, .before = {}, .after = {}};
  if (before) node.before = Amounts{*before, *before / 2, 1};
  if (after) node.after = Amounts{*after, *after / 2, 1};
  return node;
}

/// Two pods on a node, one nowhere, and a name that would steer a terminal.
SimulationResult example() {
  TrialCluster trial(Generation::kToday);
  trial.state.set_node(roomy("n1", "2").label("topology.kubernetes.io/zone", "z1"));
  trial.state.set_node(
      roomy("n2", "1").label("topology.kubernetes.io/zone", "z2").taint("k", "", "NoSchedule"));
  trial.state.set_pod(pod("\x1b[31mred").cpu("3"));
  Simulation simulation(trial.state, trial.engines, {}, {}, {});
  simulation.add_pending();
  simulation.wait_for(simulation.add_batches(sets_of(deployment("web", 2, "500m"), trial.state)));
  simulation.run();
  return simulation.finish();
}

std::string report(const SimulationResult& result, const ReportOptions& options) {
  std::string out;
  append_report(out, result, options);
  return out;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("report: bars say what stays, comes, goes and is free") {
  struct Row {
    std::int64_t before, after, all;
    std::string unicode, ascii;
  };
  const Row rows[] = {
      {0, 0, 100, "··········", ".........."},    {50, 50, 100, "█████·····", "#####....."},
      {20, 70, 100, "██▓▓▓▓▓···", "##+++++..."},  {70, 20, 100, "██░░░░░···", "##-----..."},
      {50, 400, 100, "█████▓▓▓▓▓", "#####+++++"}, {1, 1, 0, "··········", ".........."},
      {-5, 100, 100, "▓▓▓▓▓▓▓▓▓▓", "++++++++++"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.ascii);
    CHECK(usage_bar(row.before, row.after, row.all, 10, true) == row.unicode);
    CHECK(usage_bar(row.before, row.after, row.all, 10, false) == row.ascii);
  }
}

TEST_CASE("report: zones are sums of their nodes") {
  const std::vector<NodeFill> zones = by_zone({usage("a", "z1", 100, 200), usage("b", "z1", 50, std::nullopt),
                                               usage("c", "", 7, 7), usage("d", "z2", std::nullopt, 30)});
  REQUIRE(zones.size() == 2);
  CHECK(zones[0].zone == "z1");
  CHECK(zones[0].before->cpu == 150);
  CHECK(zones[0].after->cpu == 200);
  CHECK(zones[0].allocatable.cpu == 1000);
  CHECK(zones[0].allocatable_before->cpu == 2000);
  CHECK_FALSE(zones[1].before);
  CHECK(zones[1].after->cpu == 30);
}

TEST_CASE("report: what a zone held before is a share of what its nodes offered before") {
  std::string out;
  append_usage(out, {usage("a", "z1", 500, 500), usage("b", "z1", std::nullopt, 300), usage("c", "z2", 1, 1)},
               {});
  CHECK(out.starts_with("\n  Requested, % of allocatable, before→after: █ stays, ▓ comes, ░ goes\n"));
  CHECK(out.contains("50→40%"));
  std::string ascii;
  append_usage(ascii, {usage("a", "z1", 100, 500)},
               {.unicode = false, .title = "X→Y", .words = {"s", "c", "g"}});
  CHECK(ascii.starts_with("\n  X>Y: # s, + c, - g\n"));
}

TEST_CASE("report: of many nodes those that changed the most are shown, in order of name") {
  std::vector<NodeFill> nodes;
  for (int i = 0; i < 30; ++i)
    nodes.push_back(usage("n" + std::to_string(10 + i), "", 100, i % 2 ? 100 : 100 + 10 * i));
  std::string out;
  append_usage(out, nodes, {.max_nodes = 3});
  CHECK(out.contains("  n34"));
  CHECK(out.contains("  n36"));
  CHECK(out.contains("  n38"));
  CHECK(out.find("n34") < out.find("n38"));
  CHECK_FALSE(out.contains("n32"));
  CHECK_FALSE(out.contains("n11"));
  CHECK(out.contains("… and 11 nodes more that changed less; --all-nodes shows all"));
  std::string all;
  append_usage(all, nodes, {.all_nodes = true});
  CHECK(all.contains("n11"));
}

TEST_CASE("report: where nodes went, those that take their pods have rows too") {
  std::vector<NodeFill> nodes;
  for (int i = 0; i < 12; ++i) nodes.push_back(usage("gone-" + std::to_string(i), "", 500, std::nullopt));
  for (int i = 0; i < 12; ++i) nodes.push_back(usage("takes-" + std::to_string(10 + i), "", 100, 200 + i));
  std::string out;
  append_usage(out, nodes, {.max_nodes = 9});
  std::size_t gone = 0, takes = 0;
  for (const std::string& line : lines_of(out)) {
    gone += line.starts_with("  gone-") ? 1 : 0;
    takes += line.starts_with("  takes-") ? 1 : 0;
  }
  CHECK(gone == 3);
  CHECK(takes == 6);
  CHECK(out.contains("takes-21"));
  CHECK(out.contains("… and 15 nodes more"));
}

TEST_CASE("report: the table says what became of all") {
  const std::vector<std::string> lines = lines_of(report(example(), {}));
  REQUIRE(lines.size() > 8);
  CHECK(lines[0] == "3 pods: 2 placed, 1 fits nowhere.");
  CHECK(lines[2] == "  Deployment shop/web: 2 pods");
  CHECK(lines[3] == "    → n1 ×2");
  CHECK(lines[5] == "1 pod fits nowhere:");
  CHECK(lines[6] == "  0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated");
}

TEST_CASE("report: what is not judged is counted in the first line, and told below it and in JSON") {
  TrialCluster trial(Generation::kToday);
  trial.state.set_node(roomy("n1", "2"));
  Pod claims = pod("claims");
  claims.spec.resource_claims = {{.name = "gpu", .resource_claim_name = "one"}};
  trial.state.set_pod(claims);
  trial.state.set_unread(kind_of<ResourceSlice>, true);
  Simulation simulation(trial.state, trial.engines, {}, {}, {});
  simulation.add_pending();
  const std::string guest = "containers: [{name: c, image: i}], runtimeClassName: vm";
  const std::string set =
      "kind: ReplicaSet\napiVersion: apps/v1\nmetadata: {name: guest}\nspec: {replicas: 2, selector: "
      "{matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {" +
      guest + "}}}\n";
  simulation.wait_for(
      simulation.add_batches(sets_of(deployment("web", 2, "100m") + "---\n" + set, trial.state)));
  simulation.result().unjudged.objects = {{"RayCluster.ray.io default/r", "spec.headGroupSpec.template"}};
  simulation.run();
  const SimulationResult result = simulation.finish();
  const std::vector<std::string> lines = lines_of(report(result, {.table = {.width = 0}}));
  REQUIRE(lines.size() > 4);
  CHECK(lines[0] == "5 pods: 5 placed, 3 not judged in full, 1 object left out.");
  CHECK(lines[1] ==
        "Not judged of 1 pod: spec.resourceClaims: claims, slices and classes of devices are not read.");
  CHECK(lines[2] ==
        "Not judged of 2 pods: spec.runtimeClassName: RuntimeClass \"vm\" is not in the input, so its "
        "overhead, "
        "nodeSelector and tolerations are not applied.");
  CHECK(lines[3] ==
        "Left out: RayCluster.ray.io default/r, for no pods can be made of its spec.headGroupSpec.template.");
  std::string json;
  write_json(result, [&](std::string_view piece) { json += piece; });
  CHECK(json.contains(
      R"("notJudged":{"pods":3,"reasons":[{"reason":"spec.resourceClaims: claims, slices and classes of devices are not read","pods":1},{)"));
  CHECK(json.contains(
      R"("objects":[{"object":"RayCluster.ray.io default/r","template":"spec.headGroupSpec.template"}]})"));
  std::string plain;
  write_json(example(), [&](std::string_view piece) { plain += piece; });
  CHECK_FALSE(plain.contains("notJudged"));
}

TEST_CASE("report: no line is wider than asked, and nothing steers the terminal") {
  const SimulationResult result = example();
  for (const int width : {40, 60, 80, 120, 200})
    for (const bool unicode : {true, false})
      for (const bool all_pods : {true, false}) {
        CAPTURE(width);
        const std::string text = report(
            result, {.table = {.width = width, .all_nodes = true}, .unicode = unicode, .all_pods = all_pods});
        CHECK_FALSE(text.contains('\x1b'));
        CHECK(text.ends_with('\n'));
        for (const std::string& line : lines_of(text)) {
          CAPTURE(line);
          // Three bars of the fewest cells and a name need a little more than the narrowest table.
          CHECK(columns(line) <= static_cast<std::size_t>(std::max(width, 60)));
          CHECK_FALSE(line.ends_with(' '));
        }
      }
}

TEST_CASE("report: without a width placements are listed whole, and what names share is left out once") {
  SimulationResult result = example();
  const SimulatedPod pod = *std::ranges::find(result.pods, PodEnd::kPlaced, &SimulatedPod::end);
  for (int i = 100; i < 160; ++i) {
    result.nodes.push_back(usage("ip-" + std::to_string(i) + ".eu-west-1.compute.internal", "z1", 0, 500));
    result.pods.push_back(pod);
    result.pods.back().node = static_cast<std::uint32_t>(result.nodes.size() - 1);
  }
  const std::string narrow = report(result, {}), whole = report(result, {.table = {.width = 0}});
  CHECK(narrow.contains(" more\n"));
  CHECK(whole.contains("ip-100, ip-101, "));
  CHECK(whole.contains(", ip-159\n"));
  for (const std::string& text : {narrow, whole}) {
    CHECK(
        text.ends_with("  Names of 60 of 62 nodes end in .eu-west-1.compute.internal, which is left out.\n"));
    CHECK(text.find(".compute.internal") == text.rfind(".compute.internal"));
  }
}

TEST_CASE("report: a wider line gives room to names before bars") {
  const std::string name(40, 'n');
  for (const std::size_t width : {80, 90, 120}) {
    CAPTURE(width);
    std::string out;
    append_usage(out, {usage(name, "", 250, 750)}, {.width = width});
    CHECK(out.contains(name) == (width >= 90));
    CHECK(out.contains("█▓▓·") == (width < 120));  // The shortest bar.
  }
}

TEST_CASE("report: with all pods each has a line") {
  const std::string text = report(example(), {.all_pods = true});
  CHECK(text.contains(" → n1\n"));
  CHECK(text.contains("shop/web-"));
}

namespace {

NewDaemonPod came(const std::string& daemon_set, const std::string& node, const std::string& why = "") {
  return {.daemon_set = daemon_set, .node = node, .why = why};
}

SimulationResult with_new_nodes(std::size_t nodes, std::vector<NewDaemonPod> pods) {
  SimulationResult result;
  result.new_nodes = {.nodes = nodes, .pods = std::move(pods), .unsure = {}};
  return result;
}

}  // namespace

TEST_CASE("report: which pods of DaemonSets came first on added nodes") {
  struct Row {
    std::string sentence;
    SimulationResult result;
    std::vector<std::string> lines;
  };
  const std::string small = "Insufficient memory";
  const Row rows[] = {
      {"no node", with_new_nodes(0, {}), {}},
      {"no DaemonSet", with_new_nodes(1, {}), {}},
      {"one on each",
       with_new_nodes(2, {came("a/proxy", "n-1"), came("a/proxy", "n-2")}),
       {"1 DaemonSet pod came first on each added node: a/proxy."}},
      {"two on each",
       with_new_nodes(1, {came("a/proxy", "n-1"), came("b/agent", "n-1")}),
       {"2 DaemonSet pods came first on each added node: a/proxy, b/agent."}},
      {"one on some",
       with_new_nodes(2, {came("a/proxy", "n-1"), came("b/agent", "n-1"), came("a/proxy", "n-2")}),
       {"3 DaemonSet pods came first on added nodes: a/proxy (2), b/agent (1)."}},
      {"one that does not fit",
       with_new_nodes(2, {came("a/proxy", "n-1"), came("b/agent", "n-1", small), came("a/proxy", "n-2"),
                          came("b/agent", "n-2", small)}),
       {"2 DaemonSet pods came first on added nodes: a/proxy (2).",
        "2 pods of DaemonSet b/agent stay pending on added nodes: Insufficient memory."}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    std::vector<std::string> lines = lines_of(report(row.result, {.table = {.width = 200}}));
    REQUIRE_FALSE(lines.empty());
    lines.erase(lines.begin());
    CHECK(lines == row.lines);
  }
}

TEST_CASE("report: DaemonSets that may leave out added nodes are named") {
  SimulationResult result;
  result.new_nodes.unsure = {"gpu/plugin"};
  CHECK(
      report(result, {.table = {.width = 200}})
          .contains("DaemonSet gpu/plugin leaves out nodes of the cluster, and its pods do not tell which"));
}

TEST_CASE("report: a pod never fits where a DaemonSet's pod is in its way") {
  SimulationResult result;
  result.nodes_needed = NodesNeeded{.why = "Insufficient cpu", .pod = "shop/web", .in_the_way = {"a/proxy"}};
  const ReportOptions wide{.table = {.width = 200}};
  CHECK(report(result, wide)
            .contains("One more is of no use: shop/web never fits on it, for the pod of "
                      "DaemonSet a/proxy comes first: Insufficient cpu."));
  result.nodes_needed->in_the_way.push_back("b/agent");
  CHECK(report(result, wide).contains("for the pods of DaemonSets a/proxy, b/agent come first"));
}

TEST_CASE("report: JSON has what came first on added nodes") {
  SimulationResult result =
      with_new_nodes(2, {came("a/proxy", "n-1"), came("a/proxy", "n-2", "Insufficient memory")});
  result.new_nodes.unsure = {"a/proxy"};
  result.nodes_needed = NodesNeeded{.why = "Insufficient cpu", .pod = "shop/web", .in_the_way = {"a/proxy"}};
  std::string out;
  write_json(result, [&](std::string_view piece) { out += piece; });
  CHECK(out.contains(R"("newNodes":{"nodes":2,"daemonSets":[{"daemonSet":"a/proxy","placed":1,"pending":1,)"
                     R"("message":"Insufficient memory"}],"unsure":["a/proxy"]})"));
  CHECK(out.contains(R"("message":"Insufficient cpu","inTheWay":["a/proxy"]})"));
}

TEST_CASE("report: JSON has everything, and can be read") {
  std::string out;
  std::size_t pieces = 0;
  write_json(example(), [&](std::string_view piece) {
    out += piece;
    ++pieces;
  });
  CHECK(pieces >= 1);
  rapidjson::Document json;
  REQUIRE_FALSE(json.Parse(out.c_str()).HasParseError());
  CHECK(json["placed"].GetInt() == 2);
  CHECK(json["nowhere"].GetInt() == 1);
  CHECK(json["untried"].GetInt() == 0);
  CHECK_FALSE(json["cutShort"].GetBool());
  CHECK_FALSE(json.HasMember("newNodes"));
  REQUIRE(json["pods"].Size() == 3);
  CHECK(std::string(json["pods"][0]["result"].GetString()) == "nowhere");
  CHECK(std::string(json["pods"][0]["origin"].GetString()) == "waiting");
  CHECK(std::string(json["pods"][0]["message"].GetString()) ==
        "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s).");
  CHECK(std::string(json["pods"][1]["node"].GetString()) == "n1");
  CHECK(std::string(json["pods"][1]["workload"].GetString()) == "Deployment shop/web");
  REQUIRE(json["reasons"].Size() == 1);
  CHECK(json["reasons"][0]["pods"].GetInt() == 1);
  CHECK(json["reasons"][0]["reasons"][0]["nodes"].GetInt() == 1);
  REQUIRE(json["nodes"].Size() == 2);
  CHECK(std::string(json["nodes"][0]["zone"].GetString()) == "z1");
  CHECK(json["nodes"][0]["before"]["milliCPU"].GetInt() == 0);
  CHECK(json["nodes"][0]["after"]["milliCPU"].GetInt() == 1000);
  CHECK(json["nodes"][0]["allocatable"]["milliCPU"].GetInt() == 2000);
}

}  // namespace winnow::test
