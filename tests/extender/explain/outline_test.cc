// An outline says of the pod what the whole explanation says, and its nodes are completed one by one.
#include <doctest/doctest.h>

#include <cstdint>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "extender/config/gates.h"
#include "extender/config/rules.h"
#include "extender/engine/engines.h"
#include "extender/engine/workers.h"
#include "extender/explain/explain.h"
#include "extender/explain/explanation_json.h"
#include "tests/builders.h"

namespace winnow::test {
namespace {

std::string json_of(const Explanation& explanation) {
  std::string json;
  append_json(json, explanation);
  return json;
}

struct Cluster : State {
  explicit Cluster(Generation generation) : State({.generation = generation}) {
    for (const char* const name : {"b", "d", "a", "e"}) add(node(name).label("disk", "ssd"));
    add(node("c").taint("dedicated", "gpu", "NoSchedule"));
    add(node("tainted-and-full").taint("dedicated", "gpu", "NoSchedule"));
    add(node("cordoned").cordoned().taint("node.kubernetes.io/unschedulable", "", "NoSchedule"));
    for (const char* const full : {"e", "tainted-and-full"}) set_pod(test::pod(full).on(full).cpu("3"));
    set_pod(test::pod("small").on("d").cpu("1"));
  }
  void add(NodeBuilder node) { set_node(node.cpu("4").memory("8Gi").pods("110")); }
};

/// Asks the same of two explainers: of the one for all, of the other for an outline.
struct Bed {
  Bed(std::string_view config, Generation generation, const Pod& asked)
      : state(generation), rules(named_rules(config, Gates()).value()) {
    const View view(state);
    for (Explainer* const one : {&whole, &part}) {
      PassTimes unused;
      one->ask(view, asked, view.all_nodes(), unused);
      one->ask_help(view, asked);
    }
  }

  const Cluster state;
  const LoadedRules rules;
  Workers workers{0};
  const Engines engines{rules.sets, workers};
  const Engine& engine = *engines.find(pod("any"));
  Explainer whole{engine, {.facts = true}}, part{engine, {.facts = true}};
};

constexpr std::pair<std::string_view, Generation> kBothRules[] = {{kDefaultRules, Generation::kToday},
                                                                  {kClassicRules, Generation::kClassic}};

const std::vector<Pod> kPods = {pod("fits").cpu("2").selects_nodes("disk", "ssd"), pod("light").cpu("100m"),
                                pod("tolerates").cpu("2").tolerates("dedicated"), pod("nowhere").cpu("5")};

TEST_CASE("an outline lists what refuses a node, and says the same of the pod") {
  for (const auto& [config, generation] : kBothRules)
    for (const Pod& asked : kPods) {
      CAPTURE(config);
      CAPTURE(asked.metadata.name);
      Bed bed(config, generation, asked);
      Explanation told = bed.whole.tell(), outline = bed.part.outline();
      CHECK(fit_error(outline, true) == fit_error(told, true));
      REQUIRE(outline.nodes.size() == told.nodes.size());
      for (std::size_t i = 0; i < told.nodes.size(); ++i) {
        CAPTURE(told.nodes[i].name);
        std::vector<std::string> all, listed;
        for (const FilterEntry& entry : told.nodes[i].filters)
          if (!entry.fits) all.push_back(entry.rule);
        for (const FilterEntry& entry : outline.nodes[i].filters) listed.push_back(entry.rule);
        CHECK(listed == all);
        CHECK(outline.nodes[i].scores.empty());
        CHECK(outline.nodes[i].total == told.nodes[i].total);
        CHECK(outline.nodes[i].answer == told.nodes[i].answer);
        CHECK(distance_of(outline.nodes[i]) == distance_of(told.nodes[i]));
      }
      told.nodes.clear();
      outline.nodes.clear();
      CHECK(json_of(outline) == json_of(told));
    }
}

TEST_CASE("a node of an outline is completed by itself, and then is that of the whole explanation") {
  for (const auto& [config, generation] : kBothRules)
    for (const Pod& asked : kPods) {
      CAPTURE(config);
      CAPTURE(asked.metadata.name);
      Bed bed(config, generation, asked);
      Explanation told = bed.whole.tell(), outline = bed.part.outline();
      for (NodeExplanation& node : outline.nodes | std::views::reverse) bed.part.complete(node);
      CHECK(json_of(outline) == json_of(told));
    }
}

TEST_CASE("what a rule adds to a node's total is known without the node's entries") {
  for (const auto& [config, generation] : kBothRules) {
    CAPTURE(config);
    Bed bed(config, generation, kPods.front());
    const Explanation told = bed.whole.tell(), outline = bed.part.outline();
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < told.nodes.size(); ++i) {
      CAPTURE(told.nodes[i].name);
      CHECK(bed.part.weighted_score("NoSuchRule", outline.nodes[i]) == 0);
      for (const ScoreEntry& score : told.nodes[i].scores) {
        CHECK(bed.part.weighted_score(score.rule, outline.nodes[i]) == score.score * score.weight);
        sum += score.score * score.weight;
      }
    }
    CHECK(sum > 0);
  }
}

}  // namespace
}  // namespace winnow::test
