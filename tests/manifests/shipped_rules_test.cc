// The rules in manifests/rules: each file passes `winnow check`, and answers as its comments say. Where a
// peer has the formula, the scores are the peer's.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <format>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "cluster/api/decode.h"
#include "cluster/api/node.h"
#include "cluster/api/node_metrics.h"
#include "cluster/api/pod.h"
#include "cluster/client/metrics/prometheus_queries.h"
#include "cluster/files/cluster_file.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "cluster/text/source.h"
#include "extender/cli/commands.h"
#include "extender/cli/flags/flags.h"
#include "extender/config/gates.h"
#include "extender/config/rules.h"
#include "extender/engine/engines.h"
#include "extender/engine/workers.h"
#include "extender/explain/cause_text.h"
#include "extender/explain/explain.h"

namespace winnow {
namespace {

const std::string kRules = std::string(WINNOW_ROOT) + "/manifests/rules/";

/// A file's rule, beside the default plugins, and a cluster.
class Shipped {
 public:
  explicit Shipped(const std::string& rule)
      : name_("Expression/" + rule),
        rules_(
            load_rules(rule, read_source(kRules + rule + ".yaml").value(), parse_gates("").value()).value()),
        state_(state_options(rules_)),
        engines_(rules_.sets, workers_) {}

  void add_sample() {
    const std::vector<std::string> files = {kRules + "sample-load.yaml"};
    load(state_, read_cluster(files).value());
  }
  void add(const std::string& objects) { load(state_, read_cluster_text("objects", objects).value()); }
  State& state() { return state_; }
  const RuleSet& rules() const { return rules_.sets.front(); }
  const std::string& name() const { return name_; }

  /// What is said of a pod of the state.
  Explanation explained(std::string_view ns, std::string_view pod) {
    return explain_known(engines_, state_, state_.find_pod(ns, pod), {}, {.suggest = false});
  }
  Explanation explained(const Pod& pod) {
    const View view(state_);
    return explain(engines_, view, pod, view.all_nodes(), {.suggest = false});
  }
  /// "a:73 b:0": the rule's scores of the nodes that fit, by name.
  std::string scores(const Explanation& told) const {
    std::string all;
    for (const NodeExplanation& node : told.nodes)
      for (const ScoreEntry& entry : node.scores)
        if (entry.rule == name_)
          all += std::format("{}{}:{}", all.empty() ? "" : " ", node.name, entry.score);
    return all;
  }
  /// The reason of each node that the rule refuses, by name.
  std::map<std::string, std::string> refusals(const Explanation& told) const {
    std::map<std::string, std::string> refused;
    for (const NodeExplanation& node : told.nodes)
      for (const FilterEntry& entry : node.filters)
        if (entry.rule == name_ && !entry.fits) refused[node.name] = to_text(entry.causes.at(0));
    return refused;
  }

 private:
  const std::string name_;
  const LoadedRules rules_;
  State state_;
  Workers workers_{0};
  const Engines engines_;
};

/// What `winnow check` prints of a file, and its exit code.
std::string checked(const std::string& file) {
  std::ostringstream text;
  std::streambuf* const out = std::cout.rdbuf(text.rdbuf());
  std::streambuf* const err = std::cerr.rdbuf(text.rdbuf());
  const int code = check_files({}, {.files = {file}});
  std::cout.rdbuf(out);
  std::cerr.rdbuf(err);
  return text.str() + ": " + std::to_string(code);
}

/// "filters A", "scores B": what is asked about nodes.
std::set<std::string> asked_by(const RuleSet& rules) {
  std::set<std::string> names;
  for (const ConfiguredPredicate& rule : rules.predicates)
    if (rule.filters) names.insert("filters " + rule.name);
  for (const ConfiguredPriority& rule : rules.priorities)
    if (rule.scores) names.insert("scores " + rule.name);
  return names;
}

std::string names_of(const std::map<std::string, std::string>& refused) {
  std::string names;
  for (const auto& [name, reason] : refused) names += (names.empty() ? "" : " ") + name;
  return names;
}

/// A pod of the shop with this as the rest of its metadata and its spec, in YAML of one line each.
Pod pod_of(const std::string& metadata, const std::string& spec) {
  const std::string text = "kind: Pod\napiVersion: v1\nmetadata: {name: asking, namespace: shop" + metadata +
                           "}\nspec: {" + spec + "}\n";
  return read_cluster_text("pod", text).value().of<Pod>().at(0);
}

// ---- the peers' formulas ----

/// A container's cpu in millicores; below 0: it says nothing.
struct PeerContainer {
  std::int64_t request = -1, limit = -1;
};

/// scheduler-plugins v0.33.5 pkg/trimaran/targetloadpacking/targetloadpacking.go PredictUtilisation(), with
/// the defaults of apis/config/v1/defaults.go.
std::int64_t predict_utilisation(const PeerContainer& container) {
  constexpr double kRequestsMultiplier = 1.5;
  constexpr std::int64_t kRequestsMilliCores = 1000;
  if (container.limit >= 0) return container.limit;
  if (container.request >= 0)
    return std::llround(static_cast<double>(container.request) * kRequestsMultiplier);
  return kRequestsMilliCores;
}

/// The same file, Score().
std::int64_t target_load_packing(double node_millis, double capacity_millis, double coming_millis,
                                 const std::vector<PeerContainer>& pod, double target) {
  std::int64_t pod_millis = 0;
  for (const PeerContainer& container : pod) pod_millis += predict_utilisation(container);
  const double predicted =
      100 * (node_millis + static_cast<double>(pod_millis) + coming_millis) / capacity_millis;
  if (predicted > target) {
    if (predicted > 100) return 0;
    return std::llround(target * (100 - predicted) / (100 - target));
  }
  return std::llround((100 - target) * predicted / target + target);
}

/// scheduler-plugins v0.33.5 pkg/trimaran/loadvariationriskbalancing/analysis.go computeScore(), and
/// resourcestats.go GetMuSigma(). Shares of the capacity are from 0 to 1. The sensitivity is 1.
double compute_score(double average, double deviation, double request, double margin) {
  const double mu = std::clamp(std::clamp(average, 0.0, 1.0) + std::max(request, 0.0), 0.0, 1.0);
  const double sigma = std::clamp(std::clamp(deviation, 0.0, 1.0) * margin, 0.0, 1.0);
  const double risk = (mu + sigma) / 2;
  return (1. - risk) * 100;
}

Node node_of(const std::string& name, int millis) {
  const std::string amounts = std::format(R"({{"cpu":"{}m","memory":"16Gi","pods":"110"}})", millis);
  return decode<Node>(
             std::format(R"({{"metadata":{{"name":"{}"}},"status":{{"capacity":{},"allocatable":{}}}}})",
                         name, amounts, amounts))
      .value();
}

void measure(State& state, const std::string& name, double cores) {
  NodeMetrics measured;
  measured.metadata.name = name;
  measured.usage = NodeUsage{.cpu = cores, .memory = 1, .taken = 1, .window = 1};
  state.set_node_metrics(std::move(measured));
}

std::string spec_of(const std::vector<PeerContainer>& containers) {
  std::string all;
  for (const PeerContainer& container : containers) {
    std::string resources;
    if (container.request >= 0) resources += std::format("requests: {{cpu: {}m}}", container.request);
    if (container.limit >= 0)
      resources += std::format("{}limits: {{cpu: {}m}}", resources.empty() ? "" : ", ", container.limit);
    all += std::format("{}{{name: c{}, image: i, resources: {{{}}}}}", all.empty() ? "" : ", ", all.size(),
                       resources);
  }
  return "containers: [" + all + "]";
}

}  // namespace

TEST_SUITE("shipped rules") {
  TEST_CASE("each file passes winnow check, and adds one rule to the default plugins") {
    const LoadedRules plain = load_rules("",
                                         "apiVersion: kubescheduler.config.k8s.io/v1\nkind: "
                                         "KubeSchedulerConfiguration\n",
                                         parse_gates("").value())
                                  .value();
    std::set<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(kRules)) {
      const std::string file = entry.path().filename();
      if (file == "sample-load.yaml" || file.ends_with("-queries.yaml") ||
          entry.path().extension() != ".yaml")
        continue;
      CAPTURE(file);
      found.insert(entry.path().stem());
      CHECK(checked(kRules + file).ends_with(": 0"));
      const Shipped shipped(entry.path().stem());
      std::set<std::string> expected = asked_by(plain.sets.front());
      // Its comment says why.
      if (file == "pack-to-target.yaml")
        for (const char* const name : {"NodeResourcesFit", "NodeResourcesBalancedAllocation"})
          CHECK(expected.erase("scores " + std::string(name)) == 1);
      std::set<std::string> asked = asked_by(shipped.rules());
      CHECK(asked.erase("filters " + shipped.name()) + asked.erase("scores " + shipped.name()) == 1);
      CHECK(asked == expected);
    }
    CHECK(found == std::set<std::string>{"avoid-hot-nodes", "image-already-there", "limit-pods-per-node",
                                         "one-tenant-per-node", "pack-to-target", "prefer-cheap-nodes",
                                         "spread-by-load", "weigh-variance"});
  }

  TEST_CASE("scores of the sample cluster") {
    const std::pair<const char*, const char*> rows[] = {
        // A pod on its way counts on `idle`, and nobody knows `unseen`.
        {"spread-by-load", "bursty:66 hot:10 idle:65 steady:66 unseen:50"},
        // 48.75, 108.75, 66.25 and 48.75 % predicted, the target is 40 %.
        {"pack-to-target", "bursty:34 hot:0 idle:23 steady:34 unseen:0"},
        {"weigh-variance", "bursty:61 hot:47 idle:86 steady:77 unseen:0"},
        // 12 cents are the dearest; `unseen` counts as 10.
        {"prefer-cheap-nodes", "bursty:33 hot:66 idle:0 steady:33 unseen:16"},
    };
    for (const auto& [rule, expected] : rows) {
      CAPTURE(rule);
      Shipped shipped(rule);
      shipped.add_sample();
      CHECK(shipped.scores(shipped.explained("shop", "checkout-3")) == expected);
    }
  }

  TEST_CASE("refusals in the sample cluster, with what was found") {
    const std::pair<const char*, std::map<std::string, std::string>> rows[] = {
        {"avoid-hot-nodes", {{"hot", "node is hot: 90 % of its cpu and 60 % of its memory are used"}}},
        {"one-tenant-per-node", {{"bursty", "node has pods or a label of another tenant than shop"}}},
        {"limit-pods-per-node", {{"steady", "node has 2 pods of checkout already"}}},
        {"image-already-there",
         {{"hot", "node lacks registry.example.com/shop/checkout:2.4"},
          {"unseen", "node lacks registry.example.com/shop/checkout:2.4"}}},
    };
    for (const auto& [rule, expected] : rows) {
      CAPTURE(rule);
      Shipped shipped(rule);
      shipped.add_sample();
      const auto refused = shipped.refusals(shipped.explained("shop", "checkout-3"));
      for (const auto& [node, reason] : expected) {
        CAPTURE(node);
        REQUIRE(refused.contains(node));
        CHECK(refused.at(node).starts_with(reason));
      }
      CHECK(refused.size() == expected.size());
    }
  }

  TEST_CASE("pack-to-target scores as TargetLoadPacking") {
    // The peer rounds half a millicore up, and the file does not: these requests have none.
    const std::vector<std::vector<PeerContainer>> pods = {
        {{.request = 100}},
        {{.request = 334}},
        {{.request = 250, .limit = 700}},
        {{}},
        {{.request = 150}, {.limit = 410}, {.request = 0}},
    };
    Shipped shipped("pack-to-target");
    struct Load {
      double millis, capacity, coming;
    };
    std::map<std::string, Load> loads;
    for (const int capacity : {1900, 4000, 7910, 64000})
      for (int percent = 0; percent <= 110; percent += 3)
        for (const int coming : {0, 200}) {
          const std::string name = std::format("n{}-{}-{}", capacity, percent, coming);
          const double millis = std::floor(capacity * percent / 100.0);
          shipped.state().set_node(node_of(name, capacity));
          measure(shipped.state(), name, millis / 1000);
          if (coming > 0)
            shipped.add(
                std::format("kind: Pod\napiVersion: v1\nmetadata: {{name: on-{}}}\nspec: {{nodeName: {}, "
                            "{}}}\n",
                            name, name, spec_of({{.request = coming}})));
          loads[name] = {millis, static_cast<double>(capacity), 1.5 * coming};
        }
    for (const std::vector<PeerContainer>& containers : pods) {
      CAPTURE(spec_of(containers));
      const Explanation told = shipped.explained(pod_of("", spec_of(containers)));
      std::size_t checked = 0;
      for (const NodeExplanation& node : told.nodes)
        for (const ScoreEntry& entry : node.scores) {
          if (entry.rule != shipped.name()) continue;
          CAPTURE(node.name);
          const Load& load = loads.at(node.name);
          CHECK(entry.score == target_load_packing(load.millis, load.capacity, load.coming, containers, 40));
          ++checked;
        }
      CHECK(checked > 200);
    }
  }

  TEST_CASE("weigh-variance scores as LoadVariationRiskBalancing") {
    Shipped shipped("weigh-variance");
    std::map<std::string, std::int64_t> expected;
    const double request = 0.25 / 4, memory_request = 2.0 / 16;  // Shares of 4 cores and 16 GiB.
    for (const double cpu : {0.0, 0.07, 0.33, 0.61, 0.97, 1.2})
      for (const double cpu_deviation : {0.0, 0.013, 0.21, 1.1})
        for (const double memory : {0.0, 0.19, 0.57, 0.91})
          for (const double memory_deviation : {0.0, 0.017, 0.3}) {
            const std::string name = std::format("n{}", expected.size());
            shipped.state().set_node(node_of(name, 4000));
            NodeMetrics measured;
            measured.metadata.name = name;
            measured.metrics = {{"cpu_mean", cpu},
                                {"cpu_deviation", cpu_deviation},
                                {"memory_mean", memory},
                                {"memory_deviation", memory_deviation}};
            shipped.state().set_node_metrics(std::move(measured));
            expected[name] =
                std::llround(std::min(compute_score(cpu, cpu_deviation, request, 1),
                                      compute_score(memory, memory_deviation, memory_request, 1)));
          }
    const Explanation told = shipped.explained(
        pod_of("", "containers: [{name: c, image: i, resources: {requests: {cpu: 250m, memory: 2Gi}}}]"));
    std::size_t checked = 0;
    for (const NodeExplanation& node : told.nodes)
      for (const ScoreEntry& entry : node.scores) {
        if (entry.rule != shipped.name()) continue;
        CAPTURE(node.name);
        CHECK(entry.score == expected.at(node.name));
        ++checked;
      }
    CHECK(checked == expected.size());
  }

  TEST_CASE("weigh-variance takes what it has: one resource, or none") {
    Shipped shipped("weigh-variance");
    for (const char* const name : {"cpu-alone", "memory-alone", "none"})
      shipped.state().set_node(node_of(name, 4000));
    NodeMetrics measured;
    measured.metadata.name = "cpu-alone";
    measured.metrics = {{"cpu_mean", 0.3}, {"cpu_deviation", 0.1}};
    shipped.state().set_node_metrics(measured);
    measured.metadata.name = "memory-alone";
    measured.metrics = {{"memory_mean", 0.5}, {"memory_deviation", 0.1}};
    shipped.state().set_node_metrics(measured);
    // Score() of the peer takes the larger of the two scores then, where the unknown one is 0.
    CHECK(shipped.scores(shipped.explained(pod_of("", "containers: [{name: c, image: i}]"))) ==
          "cpu-alone:80 memory-alone:70 none:0");
  }

  TEST_CASE("the queries are those that weigh-variance reads") {
    const auto queries =
        live::parse_prometheus_queries(read_source(kRules + "weigh-variance-queries.yaml").value());
    REQUIRE_MESSAGE(queries, queries.error());
    std::set<std::string> names;
    for (const live::PrometheusQuery& query : *queries) names.insert(query.name);
    CHECK(names == std::set<std::string>{"cpu_deviation", "cpu_mean", "memory_deviation", "memory_mean"});
  }

  TEST_CASE("avoid-hot-nodes looks at memory too, and leaves DaemonSets' pods alone") {
    Shipped shipped("avoid-hot-nodes");
    for (const char* const name : {"busy", "cool", "full", "unknown"})
      shipped.state().set_node(node_of(name, 1000));
    measure(shipped.state(), "busy", 0.801);
    measure(shipped.state(), "cool", 0.8);
    measure(shipped.state(), "full", 0.1);
    NodeMetrics full = *shipped.state().metrics_of("full");
    full.usage->memory = 15.0 * (1U << 30U);
    shipped.state().set_node_metrics(full);
    const std::string spec = "containers: [{name: c, image: i}]";
    CHECK(names_of(shipped.refusals(shipped.explained(pod_of("", spec)))) == "busy full");
    const std::string owner =
        ", ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: d, uid: u, controller: true}]";
    CHECK(shipped.refusals(shipped.explained(pod_of(owner, spec))).empty());
  }

  TEST_CASE("one-tenant-per-node: labels first, then the pods that are there") {
    Shipped shipped("one-tenant-per-node");
    const auto add_node = [&](const std::string& name, const std::string& labels) {
      shipped.add("kind: Node\napiVersion: v1\nmetadata: {name: " + name + ", labels: {" + labels +
                  "}}\nstatus: {allocatable: {cpu: '9', memory: 9Gi, pods: '9'}}\n");
    };
    const auto add_pod = [&](const std::string& name, const std::string& where, const std::string& labels) {
      shipped.add("kind: Pod\napiVersion: v1\nmetadata: {name: " + name + ", " + labels +
                  "}\nspec: {nodeName: " + where + ", containers: [{name: c, image: i}]}\n");
    };
    add_node("empty", "");
    add_node("ours", "tenant: a");
    add_node("others", "tenant: b");
    add_node("shared", "zone: z");
    add_node("taken", "zone: z");
    add_node("mixed", "zone: z");
    add_pod("ours-b", "ours", "labels: {tenant: b}");  // The label of a node decides alone.
    add_pod("shared-a", "shared", "labels: {tenant: a}");
    add_pod("dns", "shared", "namespace: kube-system");
    add_pod("agent-a", "shared", "namespace: monitoring, labels: {tenant: a}");
    add_pod("agent-b", "shared", "namespace: monitoring, labels: {tenant: b}");
    add_pod("taken-b", "taken", "labels: {tenant: b}");
    add_pod("mixed-a", "mixed", "labels: {tenant: a}");
    add_pod("mixed-none", "mixed", "namespace: default");
    const std::string spec = "containers: [{name: c, image: i}]";
    CHECK(names_of(shipped.refusals(shipped.explained(pod_of(", labels: {tenant: a}", spec)))) ==
          "mixed others taken");
    CHECK(names_of(shipped.refusals(shipped.explained(pod_of(", labels: {tenant: b}", spec)))) ==
          "mixed ours shared");
    CHECK(shipped.refusals(shipped.explained(pod_of("", spec))).empty());
  }

  TEST_CASE("limit-pods-per-node counts the app in the pod's namespace") {
    Shipped shipped("limit-pods-per-node");
    for (const char* const name : {"one", "other", "two"}) shipped.state().set_node(node_of(name, 4000));
    const std::tuple<const char*, const char*, const char*> there[] = {
        {"two", "shop", "web"}, {"two", "shop", "web"},   {"one", "shop", "web"},
        {"one", "shop", "db"},  {"other", "bank", "web"}, {"other", "bank", "web"}};
    int number = 0;
    for (const auto& [where, ns, app] : there)
      shipped.add(
          std::format("kind: Pod\napiVersion: v1\nmetadata: {{name: p{}, namespace: {}, labels: {{app: "
                      "{}}}}}\nspec: {{nodeName: {}, containers: [{{name: c, image: i}}]}}\n",
                      number++, ns, app, where));
    const std::string spec = "containers: [{name: c, image: i}]";
    CHECK(names_of(shipped.refusals(shipped.explained(pod_of(", labels: {app: web}", spec)))) == "two");
    CHECK(shipped.refusals(shipped.explained(pod_of("", spec))).empty());
  }

  TEST_CASE("image-already-there: all containers' images, and a name without a tag means latest") {
    Shipped shipped("image-already-there");
    const std::pair<const char*, const char*> nodes[] = {{"all", "'web:latest', 'setup:1'"},
                                                         {"none", ""},
                                                         {"old", "'web:1', 'setup:1'"},
                                                         {"part", "'web:latest'"}};
    for (const auto& [name, images] : nodes) {
      const std::string list = *images == '\0' ? "" : std::format("{{names: [{}], sizeBytes: 9}}", images);
      shipped.add(
          std::format("kind: Node\napiVersion: v1\nmetadata: {{name: {}}}\nstatus: {{allocatable: {{cpu: "
                      "'9', memory: 9Gi, pods: '9'}}, images: [{}]}}\n",
                      name, list));
    }
    const auto refused = [&](const std::string& spec) {
      return shipped.refusals(shipped.explained(pod_of("", spec)));
    };
    CHECK(names_of(refused("containers: [{name: c, image: web}]")) == "none old");
    const auto both =
        refused("containers: [{name: c, image: web}], initContainers: [{name: i, image: 'setup:1'}]");
    CHECK(names_of(both) == "none old part");
    CHECK(both.at("none").starts_with("node lacks web, setup:1"));
    CHECK(both.at("part").starts_with("node lacks setup:1"));
    // No eviction brings an image.
    for (const NodeExplanation& node :
         shipped.explained(pod_of("", "containers: [{name: c, image: web}]")).nodes)
      for (const FilterEntry& entry : node.filters)
        if (entry.rule == shipped.name()) CHECK(!entry.resolvable);
  }

  TEST_CASE("prefer-cheap-nodes: what is no number counts as unknown") {
    Shipped shipped("prefer-cheap-nodes");
    const std::pair<const char*, const char*> nodes[] = {
        {"dear", "'20'"}, {"half", "'10.0'"}, {"none", ""}, {"spoilt", "cheap"}};
    for (const auto& [name, price] : nodes) {
      const std::string annotations =
          *price == '\0' ? "" : std::format(", annotations: {{example.com/cents-per-hour: {}}}", price);
      shipped.add(
          std::format("kind: Node\napiVersion: v1\nmetadata: {{name: {}{}}}\nstatus: {{allocatable: {{cpu: "
                      "'9', memory: 9Gi, pods: '9'}}}}\n",
                      name, annotations));
    }
    CHECK(shipped.scores(shipped.explained(pod_of("", "containers: [{name: c, image: i}]"))) ==
          "dear:0 half:50 none:50 spoilt:50");
  }
}

}  // namespace winnow
