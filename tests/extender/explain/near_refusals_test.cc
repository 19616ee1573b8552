// Which nodes are nearest to taking a pod, and what is kept of their causes.
#include "extender/explain/near_refusals.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "extender/config/gates.h"
#include "extender/config/rules.h"
#include "extender/engine/engines.h"
#include "extender/engine/workers.h"
#include "extender/explain/cause_text.h"
#include "extender/explain/decision_ring.h"
#include "extender/explain/decisions_text.h"
#include "tests/builders.h"
#include "tests/storage.h"

namespace winnow::test {
namespace {

const State::Options kStateOfToday{.generation = Generation::kToday};

/// What is kept of the nodes, each in words.
std::vector<std::string> nearest(const State& state, const Pod& pod) {
  static const LoadedRules kRules = named_rules(kDefaultRules, Gates()).value();
  Workers workers(0);
  const Engines engines(kRules.sets, workers);
  const Engine& engine = *engines.find(pod);
  const View view(state);
  const std::vector<NodeId> nodes = view.all_nodes();
  const Request request{.pod = pod, .view = view, .nodes = nodes, .accounting = state.options().accounting};
  PassTimes times;
  const Filtered filtered = engine.filter(request, /*all_rules=*/false, times);
  std::vector<std::string> told;
  for (const NearNode& node : near_refusals(engine, request, nearest_nodes(request, filtered.failed_by)))
    told.push_back(to_text(node));
  return told;
}

using Lines = std::vector<std::string>;

TEST_CASE("of nodes that one rule refuses, the nearest lacks least of what the pod requests") {
  State state(kStateOfToday);
  for (const auto& [name, used] : std::vector<std::pair<std::string, std::string>>{
           {"a", "4"}, {"b", "2500m"}, {"c", "3"}, {"d", "2500m"}, {"e", "3500m"}}) {
    state.set_node(node(name).cpu("4").memory("8Gi").pods("110"));
    state.set_pod(pod("on-" + name).on(name).cpu(used));
  }
  CHECK(nearest(state, pod("web").cpu("2")) ==
        Lines{"b: wants 2 cpu: 1500m of 4 are free, 1 pod requests 2500m",
              "d: wants 2 cpu: 1500m of 4 are free, 1 pod requests 2500m",
              "c: wants 2 cpu: 1 of 4 is free, 1 pod requests 3"});
}

TEST_CASE("a node that a later rule is the first to refuse is nearer, and all its refusals are told") {
  State state(kStateOfToday);
  state.set_node(node("cordoned").cpu("4").memory("8Gi").pods("110").cordoned());
  state.set_node(node("small").cpu("1").memory("8Gi").pods("110"));
  state.set_node(node("tainted").cpu("1").memory("8Gi").pods("110").taint("team", "a", "NoSchedule"));
  CHECK(nearest(state, pod("web").cpu("2")) ==
        Lines{"small: wants 2 cpu: 1 of 1 is free, 0 pods request 0",
              "tainted: taint team=a:NoSchedule; wants 2 cpu: 1 of 1 is free, 0 pods request 0",
              "cordoned: the node is cordoned"});
}

TEST_CASE("what a PreFilter says is told once") {
  State state(kStateOfToday);
  for (const char* const name : {"a", "b"}) state.set_node(node(name).cpu("4").memory("8Gi").pods("110"));
  const Lines told = nearest(state, pod("web").cpu("1").mounts(claim("data")));
  REQUIRE(told.size() == 1);
  CHECK(told[0].starts_with("a: claim default/data is not there"));
}

TEST_CASE("what is kept of causes is bounded") {
  State state(kStateOfToday);
  for (int i = 0; i < 3; ++i) {
    NodeBuilder made = node("n" + std::to_string(i)).cpu("1").memory("1Gi").pods("110");
    for (int t = 0; t < 20; ++t)
      made.taint("k" + std::to_string(t), std::string(t == 1 ? 4000 : 60, 'v'), "NoSchedule");
    state.set_node(made);
  }
  static const LoadedRules kRules = named_rules(kDefaultRules, Gates()).value();
  Workers workers(0);
  const Engines engines(kRules.sets, workers);
  PodBuilder builder = pod("web");
  builder.cpu("2").memory("2Gi");
  for (int i = 0; i < 40; ++i) builder.selects_nodes(std::string(200, 'k') + std::to_string(i), "v");
  const Pod asked = builder;
  const View view(state);
  const std::vector<NodeId> nodes = view.all_nodes();
  const Request request{.pod = asked, .view = view, .nodes = nodes};
  DecisionRecord record;
  const std::size_t without = pack(record).size();
  record.nearest = near_refusals(*engines.find(asked), request, nodes);
  CHECK_FALSE(record.nearest.empty());
  CHECK(pack(record).size() - without <= kMostNearBytes);
}

}  // namespace
}  // namespace winnow::test
