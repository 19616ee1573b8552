// Comparisons on random clusters: what must hold for any.
#include <doctest/doctest.h>

#include <bit>

#include "extender/explain/explain.h"
#include "extender/what_if/simulate/changes.h"
#include "extender/what_if/simulate/placer.h"
#include "tests/cluster/state/random_cluster.h"
#include "tests/extender/what_if/compare/two_sides.h"
#include "tests/part.h"

namespace winnow::test {
namespace {

void fill_randomly(State& state, std::uint64_t seed) {
  RandomCluster random(seed);
  for (std::size_t i = 0; i < 8; ++i) state.set_node(random.node("node-" + std::to_string(i)));
  for (std::size_t i = 0; i < 4; ++i) {
    state.volumes.set(random.storage_class(random.class_name()));
    state.volumes.set(random.persistent_volume(random.volume_name()));
    state.volumes.set(random.volume_claim(random.ns(), random.claim_name()));
  }
  for (std::size_t i = 0; i < 30; ++i) {
    Pod made = random.pod(random.ns(), "pod-" + std::to_string(i));
    made.metadata.uid = made.metadata.name;
    made.spec.priority = static_cast<std::int32_t>(random.below(3));
    if (made.spec.node_name.empty() && random.one_in(8)) made.status.nominated_node_name = random.node_name();
    state.set_pod(made);
  }
}

/// Configurations that differ in a weight, a rule, all rules, the generation.
const std::string kRandomPairs[][2] = {
    {"", policy("{name: MatchInterPodAffinity}",
                "{name: MostRequestedPriority, weight: 2}, {name: NodeAffinityPriority, weight: 3}, {name: "
                "TaintTolerationPriority, weight: 1}, {name: ImageLocalityPriority, weight: 4}")},
    {policy("",
            "{name: LeastRequestedPriority, weight: 1}, {name: BalancedResourceAllocation, weight: 2}, "
            "{name: InterPodAffinityPriority, weight: 1}"),
     policy("",
            "{name: LeastRequestedPriority, weight: 2}, {name: BalancedResourceAllocation, weight: 1}, "
            "{name: InterPodAffinityPriority, weight: 3}")},
    {"", today()},
    {today(), today("profiles:\n- plugins: {multiPoint: {enabled: [{name: NodeResourcesFit, weight: 9}, "
                    "{name: ImageLocality, weight: 7}]}}\n")},
};

/// Whether these rules turn the choice: with their changes alone B's node has more than A's had, or as much
/// where a tie is enough.
bool turns(const std::vector<std::int64_t>& changes, std::int64_t lead, std::uint32_t set,
           bool tie_suffices) {
  std::int64_t sum = -lead;
  for (std::size_t rule = 0; rule < changes.size(); ++rule)
    if (set >> rule & 1) sum += changes[rule];
  return sum > 0 || (sum == 0 && tie_suffices);
}

/// Checks a ChoiceDifference by scores against all subsets of the rules.
void check_smallest(const PodDetail& detail, bool tie_suffices) {
  REQUIRE(detail.nodes.size() == 2);
  REQUIRE(detail.scores.size() <= 20);
  std::vector<std::int64_t> changes;
  std::int64_t lead = 0;
  for (const ScoreRow& row : detail.scores) {
    std::int64_t by[2];
    for (const std::size_t side : {winnow::kA, winnow::kB})
      by[side] = row.scores[side][1].value_or(0) - row.scores[side][0].value_or(0);
    lead -= by[winnow::kA];
    changes.push_back(by[winnow::kB] - by[winnow::kA]);
  }
  std::size_t smallest = detail.scores.size() + 1;
  for (std::uint32_t set = 0; set < 1u << changes.size(); ++set)
    if (turns(changes, lead, set, tie_suffices))
      smallest = std::min(smallest, static_cast<std::size_t>(std::popcount(set)));
  CHECK(detail.turn->changes.size() == smallest);
  std::uint32_t named = 0;
  for (const ScoreChange& change : detail.turn->changes)
    for (std::size_t rule = 0; rule < detail.scores.size(); ++rule)
      if (detail.scores[rule].rule == change.rule) {
        named |= 1u << rule;
        CHECK(change.by == changes[rule]);
      }
  CHECK(turns(changes, lead, named, tie_suffices));
}

}  // namespace

TEST_CASE("compare, at random: equal configurations never differ") {
  const std::size_t rounds = part_of(std::size_t{120});
  for (std::size_t seed = 1; seed <= rounds; ++seed) {
    CAPTURE(seed);
    const std::string& config = kRandomPairs[seed % 4][seed / 4 % 2];
    const auto fill = [&](State& state) { fill_randomly(state, seed); };
    const CompareOptions options = seed % 3 == 0 ? CompareOptions{.seed = seed} : CompareOptions{};
    TwoSides sides(config, config, fill);
    const Comparison asked = sides.ask_placed(true, options);
    CHECK(asked.count_differing() == 0);
    const Comparison placed = sides.place(options);
    CHECK(placed.count_differing() == 0);
    CHECK(placed.count_known() == placed.pods.size());
    CHECK(placed.causes.empty());
    for (const NodeFill& node : placed.nodes) CHECK(node.before == node.after);
    // And A's part alone is what a simulation says.
    TwoSides alone(config, config, fill);
    const Side side = alone.a();
    Simulation simulation(side.state, side.engines, {.seed = options.seed}, {}, {});
    simulation.add_pending();
    simulation.run();
    const SimulationResult result = simulation.finish();
    REQUIRE(result.pods.size() == placed.pods.size());
    for (std::size_t i = 0; i < result.pods.size(); ++i) {
      CHECK(result.pods[i].end == placed.pods[i].end[winnow::kA]);
      CHECK(result.pods[i].node == placed.pods[i].node[winnow::kA]);
    }
  }
}

TEST_CASE("compare, at random: both parts are what simulations say, and every difference has a cause") {
  std::size_t by_scores = 0, by_refusal = 0;
  const std::size_t rounds = part_of(std::size_t{120});
  for (std::size_t seed = 1; seed <= rounds; ++seed) {
    CAPTURE(seed);
    const auto& [a, b] = kRandomPairs[seed % 4];
    const auto fill = [&](State& state) { fill_randomly(state, seed); };
    TwoSides sides(a, b, fill);
    const Comparison result = sides.place();
    for (const std::size_t which : {winnow::kA, winnow::kB}) {
      TwoSides alone(a, b, fill);
      const Side side = which == winnow::kA ? alone.a() : alone.b();
      Simulation simulation(side.state, side.engines, {}, {}, {});
      simulation.add_pending();
      simulation.run();
      const SimulationResult one = simulation.finish();
      REQUIRE(one.pods.size() == result.pods.size());
      for (std::size_t i = 0; i < one.pods.size(); ++i) {
        CHECK(one.pods[i].end == result.pods[i].end[which]);
        CHECK(one.pods[i].node == result.pods[i].node[which]);
      }
    }
    std::size_t looked_at = 0;
    for (const ComparedPod& pod : result.pods) {
      CHECK(pod.differs() == (pod.cause != winnow::kNone));
      if (!pod.differs()) continue;
      const ChoiceDifference& turn = result.causes[pod.cause].turn;
      CHECK(turn.kind != TurnKind::kDraw);  // There is no seed.
      if (turn.kind == TurnKind::kRefused) ++by_refusal;
      if (turn.kind != TurnKind::kScores || looked_at++ == 3) continue;
      TwoSides again(a, b, fill);
      const Comparison detailed = again.place({.pod = pod.name});
      REQUIRE(detailed.detail);
      REQUIRE(detailed.detail->turn);
      CHECK(rules_in(*detailed.detail->turn).starts_with("scores "));
      const std::vector<std::string>& nodes = detailed.detail->nodes;
      check_smallest(*detailed.detail, /*tie_suffices=*/nodes[1] < nodes[0]);
      ++by_scores;
    }
  }
  if (kPart == 1) CHECK(by_scores > 10);
  if (kPart == 1) CHECK(by_refusal > 5);
}

TEST_CASE("compare --placed, at random: each says what explain does, and every difference has a cause") {
  std::size_t by_scores = 0;
  const std::size_t rounds = part_of(std::size_t{80});
  for (std::size_t seed = 1; seed <= rounds; ++seed) {
    CAPTURE(seed);
    const auto& [a, b] = kRandomPairs[seed % 4];
    TwoSides sides(a, b, [&](State& state) { fill_randomly(state, seed); });
    const Comparison result = sides.ask_placed();
    for (const ComparedPod& pod : result.pods) {
      CAPTURE(pod.name);
      const std::size_t slash = pod.name.find('/');
      const Side side_a = sides.a();
      const PodId id = side_a.state.find_pod(pod.name.substr(0, slash), pod.name.substr(slash + 1));
      const Explanation explained = explain_known(side_a.engines, side_a.state, id, std::nullopt, {});
      CHECK((pod.end[winnow::kA] == PodEnd::kPlaced) == explained.selected.has_value());
      CHECK(pod.differs() == (pod.cause != winnow::kNone));
      if (!pod.differs()) continue;
      const TurnKind kind = result.causes[pod.cause].turn.kind;
      CHECK((kind == TurnKind::kScores || kind == TurnKind::kRefused));
      if (kind != TurnKind::kScores) continue;
      const std::string& now = result.nodes[pod.now].name;
      const Comparison detailed = sides.ask_placed(true, {.pod = pod.name});
      REQUIRE(detailed.detail);
      const std::vector<std::string>& nodes = detailed.detail->nodes;
      check_smallest(*detailed.detail, nodes[1] == now || (nodes[0] != now && nodes[1] < nodes[0]));
      ++by_scores;
    }
  }
  if (kPart == 1) CHECK(by_scores > 10);
}

}  // namespace winnow::test
