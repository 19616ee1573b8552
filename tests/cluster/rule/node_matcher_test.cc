#include "cluster/rule/node_matcher.h"

#include <doctest/doctest.h>

#include <array>
#include <random>
#include <string>
#include <vector>

#include "cluster/api/pod.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "tests/builders.h"

namespace winnow {
namespace {

using test::node;
using test::pod;

/// Draws pods and nodes whose labels have few keys and values, so that many match.
class MatcherWorld {
 public:
  explicit MatcherWorld(std::uint32_t seed) : random_(seed) {}

  void put_nodes(State& state, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      auto one = node("node-" + std::to_string(i));
      for (const char* key : {"zone", "disk", "size"})
        if (draw(4) != 0) one.label(key, std::to_string(draw(12)));
      state.set_node(one);
    }
  }

  Pod asking_pod() {
    auto asks = pod("pod");
    if (draw(3) == 0) asks.selects_nodes("zone", std::to_string(draw(12)));
    for (std::size_t terms = draw(4); terms > 0; --terms) {
      std::vector<SelectorRequirement> labels, fields;
      for (std::size_t i = draw(3); i > 0; --i) labels.push_back(requirement());
      if (draw(4) == 0)
        fields.push_back(
            {"metadata.name", draw(2) == 0 ? "In" : "NotIn", {"node-" + std::to_string(draw(20))}});
      asks.requires_nodes(labels, fields);
    }
    return asks;
  }

 private:
  std::size_t draw(std::size_t below) { return random_() % below; }

  SelectorRequirement requirement() {
    constexpr std::array kOps = {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};
    constexpr std::array kKeys = {"zone", "disk", "size", "absent"};
    SelectorRequirement one{kKeys[draw(kKeys.size())], kOps[draw(kOps.size())], {}};
    if (one.op == "Gt" || one.op == "Lt") one.values = {std::to_string(draw(12))};
    if (one.op == "In" || one.op == "NotIn")  // More than eight are searched for.
      for (std::size_t i = draw(5) == 0 ? 11 : draw(3) + 1; i > 0; --i)
        one.values.push_back(std::to_string(draw(14)));
    return one;
  }

  std::mt19937 random_;
};

}  // namespace

TEST_CASE("many nodes at once match as each by itself does") {
  State state;
  MatcherWorld world(1);
  world.put_nodes(state, 100);
  const View view(state);
  const std::vector<NodeId> nodes = view.all_nodes();
  std::size_t matching = 0, others = 0;
  for (int round = 0; round < 500; ++round) {
    const Pod pod = world.asking_pod();
    const PodNodeMatcher matcher(view, pod.spec, Generation::kToday);
    std::vector<std::uint8_t> marks(nodes.size(), 1);
    marks[static_cast<std::size_t>(round) % marks.size()] = 0;  // One that is out stays out.
    matcher.keep_matching(nodes, marks);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const bool was_in = i != static_cast<std::size_t>(round) % marks.size();
      const bool matches = was_in && matcher.matches(nodes[i]);
      CAPTURE(round);
      CAPTURE(i);
      REQUIRE(marks[i] == (matches ? 1 : 0));
      ++(matches ? matching : others);
    }
  }
  CHECK(matching > 5000);
  CHECK(others > 5000);
}

}  // namespace winnow
