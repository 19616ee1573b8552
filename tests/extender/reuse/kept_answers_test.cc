#include "extender/reuse/kept_answers.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "extender/engine/engines.h"
#include "extender/engine/workers.h"
#include "tests/builders.h"
#include "tests/extender/engine/rules_and_pods.h"
#include "tests/extender/reuse/reuse_trial.h"

namespace winnow::test {
namespace {

constexpr std::size_t kNodes = 20;

Node roomy(const std::string& name, const std::string& cpu) {
  return node(name).cpu(cpu).memory("8Gi").pods("110");
}

/// An engine that keeps answers, and how many nodes it has asked rules about.
struct Kept {
  explicit Kept(RuleSet set, ReuseOptions options = {.from_question = 1})
      : rules(std::move(set)), kept(reads_of(rules), options) {
    for (std::size_t i = 0; i < kNodes; ++i) state.set_node(roomy("n" + std::to_string(i), "4"));
  }
  std::size_t fitting(const Pod& pod) {
    const View view(state);
    const std::vector<NodeId> nodes = view.all_nodes();
    PassTimes unused;
    const Filtered found = engine.filter({pod, view, nodes}, /*all_rules=*/false, unused);
    return static_cast<std::size_t>(std::ranges::count(found.failed_by, Filtered::kNobody));
  }
  std::uint64_t redone() const { return kept.counts().redone; }

  RuleSet rules;
  State state;
  Workers workers{0};
  KeptAnswers kept;
  Engine engine{rules, workers, &kept};
};

RuleSet resources() { return rules_named(Generation::kToday, {"NodeResourcesFit", "TaintToleration"}); }

/// A rule that says it reads one node, and reads the number of all: what it keeps is wrong when one comes.
class CountsNodes final : public Predicate {
 public:
  explicit CountsNodes(bool fits) : fits_(fits) {}
  void map(std::span<const NodeId> nodes, std::span<Verdict> out) const override {
    for (std::size_t i = 0; i < nodes.size(); ++i) out[i] = Verdict::one(fits_, Fit::kUnschedulable);
  }
  std::span<const std::string> reasons() const override { return kReasons; }

 private:
  static inline const std::vector<std::string> kReasons = {"there are too many nodes"};
  const bool fits_;
};
std::unique_ptr<const Predicate> counts_nodes(const Request& request, const Arguments&) {
  return std::make_unique<CountsNodes>(request.view.node_count() <= kNodes);
}

/// A rule that fails on the nodes with a label.
class FailsOnBad final : public Predicate {
 public:
  explicit FailsOnBad(const View& view) : bad_(view.label("bad")) {}
  void map(std::span<const NodeId> nodes, std::span<Verdict> out) const override {
    for (std::size_t i = 0; i < nodes.size(); ++i)
      out[i] = Verdict::one(bad_[nodes[i]] == kNone, Fit::kError);
  }
  std::span<const std::string> reasons() const override { return kReasons; }

 private:
  static inline const std::vector<std::string> kReasons = {"the node is bad"};
  const Column<Symbol> bad_;
};
std::unique_ptr<const Predicate> fails_on_bad(const Request& request, const Arguments&) {
  return std::make_unique<FailsOnBad>(request.view);
}

}  // namespace

TEST_CASE("the next pod of a workload asks about the nodes that have changed alone") {
  Kept kept(resources());
  CHECK(kept.fitting(pod("web-1").cpu("3")) == kNodes);
  CHECK(kept.redone() == kNodes);
  CHECK(kept.fitting(pod("web-2").cpu("3")) == kNodes);
  CHECK(kept.redone() == kNodes);
  kept.state.set_pod(pod("web-1").cpu("3").on("n7"));
  CHECK(kept.fitting(pod("web-3").cpu("3")) == kNodes - 1);
  CHECK(kept.redone() == kNodes + 1);
  kept.state.remove_pod("default", "web-1");
  CHECK(kept.fitting(pod("web-3").cpu("3")) == kNodes);
  CHECK(kept.redone() == kNodes + 2);
  kept.state.set_node(roomy("n3", "1"));
  kept.state.set_node(roomy("more", "8"));
  CHECK(kept.fitting(pod("web-4").cpu("3")) == kNodes);
  CHECK(kept.redone() == kNodes + 4);
  CHECK(kept.kept.counts().classes == 1);
}

TEST_CASE("nothing is kept for a pod that is the only one of its class") {
  Kept kept(resources(), {});
  CHECK(kept.fitting(pod("web-1").cpu("3")) == kNodes);
  CHECK(kept.redone() == 0);
  CHECK(kept.fitting(pod("web-2").cpu("3")) == kNodes);
  CHECK(kept.redone() == kNodes);
  CHECK(kept.fitting(pod("web-3").cpu("3")) == kNodes);
  CHECK(kept.redone() == kNodes);
}

TEST_CASE("pods that a rule can tell apart are of different classes") {
  const Pod one = pod("a").cpu("1").label("app", "web");
  const auto is_alike = [&](const Pod& other) {
    return PodClass(one, Accounting::kToday).contains(other, Accounting::kToday);
  };
  CHECK(is_alike(pod("b").cpu("1").label("app", "web")));
  CHECK_FALSE(is_alike(pod("b").cpu("2").label("app", "web")));
  CHECK_FALSE(is_alike(pod("b").cpu("1").label("app", "db")));
  CHECK_FALSE(is_alike(pod("b").in("other").cpu("1").label("app", "web")));
  CHECK_FALSE(PodClass(one, Accounting::kToday).contains(one, Accounting::kV116));
  Pod mounts = pod("b").cpu("1").label("app", "web");
  mounts.spec.volumes.push_back({.name = "kube-api-access-x1y2z"});
  CHECK(is_alike(mounts));
  mounts.spec.volumes.push_back(
      {.name = "data", .source = VolumeSource::kPersistentVolumeClaim, .id = "data"});
  CHECK_FALSE(is_alike(mounts));
}

TEST_CASE("a pod whose volume is named by the pod has no class, nor one that is resized") {
  Pod ephemeral = pod("a");
  ephemeral.spec.volumes.push_back({.name = "scratch", .source = VolumeSource::kEphemeral});
  CHECK_FALSE(PodClass::has(ephemeral));
  Pod resized = pod("a");
  resized.status.conditions.push_back({.type = "PodResizePending", .status = "True"});
  CHECK_FALSE(PodClass::has(resized));
  CHECK(PodClass::has(pod("a")));
}

TEST_CASE("a node that fits from now on, or no longer, changes its place alone") {
  FittingNodes fitting{.nodes = std::vector<NodeId>{30, 10, 20}, .places = std::vector<std::size_t>{1, 4, 6}};
  const FittingNodes before = fitting;
  fitting.flip(10, 4);
  CHECK(fitting.nodes == std::vector<NodeId>{30, 20});
  CHECK(fitting.places == std::vector<std::size_t>{1, 6});
  fitting.flip(40, 0);
  fitting.flip(50, 9);
  CHECK(fitting.nodes == std::vector<NodeId>{40, 30, 20, 50});
  CHECK(fitting.places == std::vector<std::size_t>{0, 1, 6, 9});
  CHECK(before.nodes == std::vector<NodeId>{30, 10, 20});
}

TEST_CASE("scores are equal however they are kept") {
  const ScoreTable matrix({1, 2, 3, 0, 0, 0}, 3);
  const ScoreTable by_row({std::vector<std::int64_t>{9, 2, 1, 3}, {}}, std::vector<NodeId>{2, 1, 3});
  CHECK(matrix == by_row);
  CHECK(by_row(0, 2) == 3);
  CHECK(by_row(1, 2) == 0);
  CHECK_FALSE(by_row == ScoreTable({1, 2, 4, 0, 0, 0}, 3));
  CHECK_FALSE(by_row == ScoreTable({1, 2, 3}, 3));
}

// The spread's domains and the nodes that fit are followed; the trial of many seeds compares every answer.
TEST_CASE("a hard spread constraint follows the pods that come") {
  Kept kept(rules_named(Generation::kToday, {"PodTopologySpread"}));
  Pod asked = pod("p").label("app", "web");
  asked.spec.topology_spread_constraints.push_back({.max_skew = 1,
                                                    .topology_key = "zone",
                                                    .when_unsatisfiable = "DoNotSchedule",
                                                    .label_selector = LabelSelector{{{"app", "web"}}, {}}});
  for (std::size_t i = 0; i < kNodes; ++i) {
    Node labelled = roomy("n" + std::to_string(i), "4");
    labelled.metadata.labels["zone"] = i < 5 ? "a" : "b";
    kept.state.set_node(labelled);
  }
  CHECK(kept.fitting(asked) == kNodes);
  kept.state.groups.keep_wanted();  // From now on its pods are counted.
  CHECK(kept.fitting(asked) == kNodes);
  kept.state.set_pod(pod("web-0").label("app", "web").on("n0"));
  CHECK(kept.fitting(asked) == kNodes - 5);
  kept.state.set_pod(pod("web-1").label("app", "web").on("n7"));
  CHECK(kept.fitting(asked) == kNodes);
  kept.state.set_node(roomy("n1", "4"));  // It loses its label.
  CHECK(kept.fitting(asked) == kNodes - 1);
  kept.state.remove_pod("default", "web-0");
  CHECK(kept.fitting(asked) == 4);
}

TEST_CASE("the least recently used classes go when the memory is full") {
  Kept kept(resources(), {.memory = 20'000, .from_question = 1});
  for (int i = 0; i < 50; ++i) kept.fitting(pod("p").cpu(std::to_string(i) + "m"));
  CHECK(kept.kept.counts().bytes <= 20'000);
  const std::size_t classes = kept.kept.counts().classes;
  CHECK(classes > 0);
  CHECK(classes < 50);
  const std::uint64_t before = kept.redone();
  kept.fitting(pod("p").cpu("49m"));
  CHECK(kept.redone() == before);
  kept.fitting(pod("p").cpu("0m"));
  CHECK(kept.redone() == before + kNodes);
}

TEST_CASE("nodes that a rule fails on are counted as they come and go") {
  RuleSet rules;
  rules.generation = Generation::kToday;
  rules.predicates.push_back({.name = "FailsOnBad", .bind = fails_on_bad});
  Workers workers(0);
  KeptAnswers kept({.predicates = {Reads::kNode}, .priorities = {}, .kinds = {}, .kinds_of_rows = {}},
                   {.from_question = 1});
  const Engine engine(rules, workers, &kept);
  State state;
  for (std::size_t i = 0; i < kNodes; ++i) state.set_node(node("n" + std::to_string(i)).label("bad", "yes"));
  const Pod asked = pod("p");
  const auto errors = [&] {
    const View view(state);
    const std::vector<NodeId> nodes = view.all_nodes();
    PassTimes unused;
    const Filtered found = engine.filter({asked, view, nodes}, /*all_rules=*/false, unused);
    REQUIRE(found.fitting);
    CHECK(found.error().has_value() == (found.fitting->errors != 0));
    CHECK(found.fitting->nodes.size() == nodes.size() - found.fitting->errors);
    return found.fitting->errors;
  };
  CHECK(errors() == kNodes);
  for (std::size_t i = 0; i < kNodes; ++i) {
    state.set_node(node("n" + std::to_string(i)));
    CHECK(errors() == kNodes - 1 - i);
  }
  state.set_node(node("n3").label("bad", "yes"));
  CHECK(errors() == 1);
  CHECK(kept.counts().answers_changed == kNodes + 1);
}

TEST_CASE("a wrong answer is found by the check, the right one is given, and the class is not used again") {
  RuleSet rules;
  rules.generation = Generation::kToday;
  rules.predicates.push_back({.name = "CountsNodes", .bind = counts_nodes});
  Workers workers(0);
  KeptAnswers kept({.predicates = {Reads::kNode}, .priorities = {}, .kinds = {}, .kinds_of_rows = {}},
                   {.check = 0.5, .from_question = 1});
  const Engine engine(rules, workers, &kept);
  State state;
  for (std::size_t i = 0; i < kNodes; ++i) state.set_node(node("n" + std::to_string(i)));
  const Pod asked = pod("p");
  const auto refused = [&] {
    const View view(state);
    const std::vector<NodeId> nodes = view.all_nodes();
    PassTimes unused;
    const Filtered found = engine.filter({asked, view, nodes}, /*all_rules=*/false, unused);
    return nodes.size() - static_cast<std::size_t>(std::ranges::count(found.failed_by, Filtered::kNobody));
  };
  CHECK(refused() == 0);  // Not checked: each second answer is.
  CHECK(refused() == 0);
  state.set_node(node("more"));
  CHECK(refused() == 1);  // Wrong, and not checked: the rule has lied about what it reads.
  CHECK(refused() == kNodes + 1);
  CHECK(kept.counts().checked == 2);
  CHECK(kept.counts().mismatches == 1);
  CHECK(refused() == kNodes + 1);
  CHECK(kept.counts().answers == 4);
}

TEST_CASE("the random trial finds rules that read more than they say") {
  std::size_t found = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed)
    found += try_reuse(seed, 200, /*lie=*/true).difference.empty() ? 0 : 1;
  CHECK(found == 4);
}

}  // namespace winnow::test
