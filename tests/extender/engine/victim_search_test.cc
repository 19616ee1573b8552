// The whole search of a preemption: tables, and each rule's trial held against the rule bound anew.
#include "extender/engine/victim_search.h"

#include <doctest/doctest.h>

#include "extender/engine/engine.h"
#include "extender/engine/workers.h"
#include "predicates/records.h"
#include "tests/ask.h"
#include "tests/cluster/state/random_cluster.h"
#include "tests/extender/engine/rules_and_pods.h"
#include "tests/part.h"

namespace winnow::test::victim_search_test {
namespace {

constexpr State::Options options_of(Generation generation) { return {Accounting::kToday, false, generation}; }

const RuleSet kFit = rules_named(Generation::kToday, {"TaintToleration", "NodeResourcesFit"});
const RuleSet kFitClassic =
    rules_named(Generation::kClassic, {"CheckNodeUnschedulable", "GeneralPredicates"});

struct There {
  std::string name;
  std::int32_t priority = 0;
  std::string_view cpu;
  std::int64_t started = 0;  ///< 0: it has not.
  std::string node = "n";
};

Pod made(const There& there) {
  PodBuilder builder = prioritized(
      pod(there.name).on(there.node).uid(there.name).label("app", there.name).cpu(there.cpu), there.priority);
  if (there.started != 0) builder.object().status.start_time = there.started;
  return builder;
}

Pod asking(std::string_view cpu, std::int32_t priority = 1000) {
  return prioritized(pod("asked").uid("asked").cpu(cpu), priority);
}

/// Nodes of four cores, each with its pods.
class World {
 public:
  explicit World(Generation generation = Generation::kToday) : state_(options_of(generation)) {}

  World& with(std::vector<There> pods) {
    for (const There& there : pods) {
      if (state_.find_node(there.node) == kNone) state_.set_node(node(there.node).cpu("4").pods("110"));
      state_.set_pod(made(there));
    }
    return *this;
  }
  World& budget(const std::string& app, std::int32_t allowed) {
    state_.objects.of<PodDisruptionBudget>()["default/" + app] = {
        meta("default", app), selects({{"app", app}}), allowed, {}};
    return *this;
  }
  State& state() { return state_; }

  FreedNodes search(const Pod& asked) {
    const RuleSet& rules = state_.options().generation == Generation::kToday ? kFit : kFitClassic;
    const Engine engine(rules, workers_);
    return search_victims(engine, View(state_), asked);
  }
  /// "node: victims, violations" for each node, the best one with a star.
  std::string words(const Pod& asked) {
    const FreedNodes freed = search(asked);
    std::string text;
    for (std::size_t i = 0; i < freed.nodes.size(); ++i) {
      const FreedNode& node = freed.nodes[i];
      text += (text.empty() ? "" : "; ") + node.name + (freed.best == i ? "*:" : ":");
      for (const PodId victim : node.victims) text += ' ' + state_.pod(victim).name;
      if (node.violations > 0) text += " !" + std::to_string(node.violations);
    }
    return text;
  }

 private:
  State state_;
  Workers workers_{1};
};

}  // namespace

TEST_CASE("the most important pods stay: by priority, then the oldest, then by name") {
  const std::vector<There> there = {
      {"low", 1, "1", 5}, {"old", 5, "1", 3}, {"young", 5, "1", 9}, {"new", 5, "1"}};
  for (const Generation generation : {Generation::kToday, Generation::kClassic}) {
    CHECK(World(generation).with(there).words(asking("1")) == "n*: low");
    CHECK(World(generation).with(there).words(asking("2")) == "n*: new low");
    CHECK(World(generation).with(there).words(asking("3")) == "n*: young new low");
    CHECK(World(generation).with({{"a", 1, "2", 7}, {"b", 1, "2", 7}}).words(asking("2")) == "n*: b");
  }
}

TEST_CASE("pods of broken budgets come back first; v1.16 leaves them before the others") {
  const std::vector<There> there = {{"guarded", 1, "2", 1}, {"free", 5, "2", 1}};
  CHECK(World().with(there).budget("guarded", 0).words(asking("2")) == "n*: free");
  CHECK(World().with(there).budget("guarded", 0).words(asking("4")) == "n*: free guarded !1");
  CHECK(World(Generation::kClassic).with(there).budget("guarded", 0).words(asking("4")) ==
        "n*: guarded free !1");
}

TEST_CASE("the node is chosen by violations, highest priority, sum, number, and latest start") {
  const auto best = [](std::vector<There> there, const std::string& guarded = "") {
    World world;
    world.with(std::move(there));
    if (!guarded.empty()) world.budget(guarded, 0);
    const FreedNodes freed = world.search(asking("4"));
    return freed.best ? freed.nodes[*freed.best].name : "";
  };
  CHECK(best({{"x", 1, "4", 1, "a"}, {"y", 9, "4", 1, "b"}}, "x") == "b");
  CHECK(best({{"x", 9, "4", 1, "a"}, {"y", 1, "4", 1, "b"}}) == "b");
  CHECK(best({{"x", 5, "2", 1, "a"}, {"y", 4, "2", 1, "a"}, {"z", 5, "2", 1, "b"}, {"w", 3, "2", 1, "b"}}) ==
        "b");
  CHECK(best({{"x", 5, "2", 1, "a"}, {"y", 5, "2", 1, "a"}, {"z", 5, "4", 1, "b"}}) == "b");
  CHECK(best({{"x", 5, "4", 1, "a"}, {"y", 5, "4", 2, "b"}, {"z", 5, "4", 1, "c"}}) == "b");
  CHECK(best({{"x", 5, "4", 1, "a"}, {"y", 5, "4", 0, "b"}, {"z", 5, "4", 2, "c"}}) == "b");
  CHECK(best({{"x", 5, "4", 1, "a"}, {"y", 5, "4", 1, "b"}}) == "a");
}

TEST_CASE("only nodes that evictions can free are candidates") {
  World world;
  world.with({{"a", 1, "4", 1, "small"}, {"b", 2000, "4", 1, "important"}, {"c", 1, "4", 1, "free"}});
  world.state().set_node(node("cordoned").cpu("4").pods("110").taint("x", "y", "NoSchedule"));
  world.with({{"d", 1, "4", 1, "cordoned"}});
  world.state().set_node(node("empty").cpu("4").pods("110"));
  CHECK(world.words(asking("4")) == "free*: c; small: a");
  CHECK(world.search(asking("4")).fitting == 1);
  CHECK(world.words(asking("5")) == "");
}

TEST_CASE("a pod may not preempt where its policy is against it, or its victims have not ended") {
  World world;
  world.with({{"a", 1, "4", 1, "n"}, {"b", 1, "4", 1, "m"}});
  Pod never = asking("4");
  never.spec.preemption_policy = "Never";
  CHECK(world.search(never).message == "not eligible due to preemptionPolicy=Never.");
  Pod waits = asking("4");
  waits.status.nominated_node_name = "n";
  CHECK(world.words(waits) == "m*: b; n: a");
  Pod ends = made({"a", 1, "4", 1, "n"});
  ends.metadata.deleting = true;
  world.state().set_pod(ends);
  CHECK(world.search(waits).message == "");
  ends.status.conditions = {{"DisruptionTarget", "True", "PreemptionByScheduler", ""}};
  world.state().set_pod(ends);
  CHECK(world.search(waits).message == "not eligible due to a terminating pod on the nominated node.");
  World classic(Generation::kClassic);
  classic.with({{"a", 1, "4", 1, "n"}});
  ends.status.conditions.clear();
  classic.state().set_pod(ends);
  CHECK(classic.search(waits).message == "not eligible due to a terminating pod on the nominated node.");
}

TEST_CASE("a pod that is nominated for a node keeps its room there") {
  World world;
  world.with({{"a", 1, "2", 1}, {"b", 2, "2", 1}});
  Pod waits = asking("2", 1000);
  waits.metadata.name = waits.metadata.uid = "waits";
  waits.status.nominated_node_name = "n";
  world.state().set_pod(waits);
  CHECK(world.words(asking("2")) == "n*: b a");
  CHECK(world.words(asking("3")) == "");
  CHECK(world.words(asking("2", 2000)) == "n*: a");
}

TEST_CASE("v1.16 frees a node of a host port that two of its pods have, and so does today's") {
  State state(options_of(Generation::kToday));
  state.set_node(node("n").cpu("4").pods("110"));
  for (const std::string name : {"kept", "gone"}) {
    Pod one = pod(name).on("n").uid(name).host_port(80);
    one.spec.priority = name == "kept" ? 2000 : 1;
    state.set_pod(one);
  }
  Pod asked = pod("asked").uid("asked").host_port(80);
  asked.spec.priority = 1000;
  const RuleSet ports = rules_named(Generation::kToday, {"NodePorts"});
  Workers workers(0);
  const Engine engine(ports, workers);
  const FreedNodes freed = search_victims(engine, View(state), asked);
  REQUIRE(freed.nodes.size() == 1);
  CHECK(state.pod(freed.nodes[0].victims[0]).name == "gone");
}

TEST_CASE("when the time is over, that is said") {
  World world;
  world.with({{"a", 1, "4", 1}});
  const Budget over(std::chrono::steady_clock::now() - std::chrono::seconds(1));
  Workers workers(1);
  const Engine engine(kFit, workers);
  const FreedNodes late = search_victims(engine, View(world.state()), asking("4"), &over);
  CHECK(late.cut_short);
  CHECK(late.nodes.empty());
}

namespace {

/// The rules of the test that runs, by their numbers: a plain function cannot know which rule it stands for.
std::array<BindPredicate*, 4> bound_anew;
template <std::size_t kNumber>
std::unique_ptr<const Predicate> bind_anew(const Request& request, const Arguments& arguments) {
  return bound_anew[kNumber](request, arguments);
}
constexpr std::array<BindPredicate*, 4> kBindAnew = {&bind_anew<0>, &bind_anew<1>, &bind_anew<2>,
                                                     &bind_anew<3>};

/// The same rules, without their trials.
RuleSet without_trials(RuleSet rules) {
  for (std::size_t i = 0; i < rules.predicates.size(); ++i) {
    bound_anew[i] = rules.predicates[i].bind;
    rules.predicates[i].bind = kBindAnew[i];
  }
  return rules;
}

/// Nodes and pods, none of which is being deleted: upstream's AddPod counts such a pod otherwise than
/// PreFilter does.
class Drawn {
 public:
  Drawn(std::uint64_t seed, Generation generation)
      : state_(options_of(generation)), random_(seed, 1'000'000) {
    for (int i = 0; i < 12; ++i) state_.set_node(random_.node("node-" + std::to_string(i)));
    for (int i = 0; i < 60; ++i) {
      Pod one = random_.pod(random_.ns(), "pod-" + std::to_string(i));
      one.status.phase.clear();
      one.metadata.uid = one.metadata.name;
      one.metadata.deleting = false;
      one.spec.priority = static_cast<std::int32_t>(random_.below(4));
      if (one.spec.node_name.empty() && random_.one_in(2))
        one.status.nominated_node_name = random_.node_name();
      // Two pods with one port on a node are one to upstream; see the test above.
      for (Container& container : one.spec.containers) container.ports.clear();
      state_.set_pod(one);
    }
    asked_ = random_.pod(random_.ns(), "asked");
    asked_.metadata.uid = "asked";
    asked_.metadata.deleting = false;
    asked_.spec.node_name.clear();
    asked_.spec.priority = 2;
    TopologySpreadConstraint spread;
    spread.max_skew = 1;
    spread.topology_key = random_.term().topology_key;
    spread.when_unsatisfiable = "DoNotSchedule";
    // An empty selector counts no pod in PreFilter, and every pod in AddPod.
    do spread.label_selector = random_.label_selector();
    while (parse_label_selector(spread.label_selector)->is_everything());
    asked_.spec.topology_spread_constraints = {std::move(spread)};
  }
  const State& state() const { return state_; }
  const Pod& asked() const { return asked_; }

 private:
  State state_;
  RandomCluster random_;
  Pod asked_;
};

std::string words_of(const State& state, const FreedNodes& freed) {
  std::string text;
  for (const FreedNode& one : freed.nodes) {
    text += one.name + ":";
    for (const PodId victim : one.victims) text += ' ' + state.pod(victim).name;
    text += "; ";
  }
  return text;
}

}  // namespace

// A plugin that kube-scheduler does not have may be bound anew instead.
TEST_CASE("every plugin that an eviction can turn has a trial, and no other has one") {
  for (const predicates::Record& plugin : predicates::plugins()) {
    CAPTURE(plugin.name);
    const predicates::FollowsBy& follows = plugin.follows_by;
    const bool is_turned = plugin.turned_by_eviction != nullptr;
    if (plugin.is_own() && is_turned && !follows.never()) continue;
    CHECK((follows.make_trial() != nullptr) == is_turned);
    CHECK(follows.never() == !is_turned);
  }
}

TEST_CASE("the trial of a rule says what the rule says when it is bound anew") {
  const std::pair<Generation, std::vector<std::string_view>> rows[] = {
      {Generation::kToday, {"NodeResourcesFit"}},
      {Generation::kToday, {"PodTopologySpread"}},
      {Generation::kToday, {"InterPodAffinity"}},
      {Generation::kToday, {"VolumeRestrictions"}},
      {Generation::kToday, {"NodeResourcesFit", "PodTopologySpread", "InterPodAffinity"}},
      {Generation::kClassic, {"PodFitsResources", "NoDiskConflict"}},
      {Generation::kClassic, {"GeneralPredicates"}},
  };
  for (const auto& [generation, names] : rows) {
    CAPTURE(names.front());
    const RuleSet rules = rules_named(generation, names);
    const RuleSet anew = without_trials(rules);
    for (const ConfiguredPredicate& rule : rules.predicates)
      REQUIRE(predicates::find_record(rule.bind)->follows_by->make_trial());
    for (const ConfiguredPredicate& rule : anew.predicates) REQUIRE(!predicates::find_record(rule.bind));
    std::size_t found = 0;
    for (std::uint64_t seed = 1; seed <= part_of(150U); ++seed) {
      CAPTURE(seed);
      const Drawn drawn(seed, generation);
      Workers workers(0);
      const View view(drawn.state());
      const FreedNodes tried = search_victims(Engine(rules, workers), view, drawn.asked());
      const FreedNodes slow = search_victims(Engine(anew, workers), view, drawn.asked());
      CHECK(words_of(drawn.state(), tried) == words_of(drawn.state(), slow));
      found += tried.nodes.size();
    }
    CHECK(found > 0);
  }
}

}  // namespace winnow::test::victim_search_test
