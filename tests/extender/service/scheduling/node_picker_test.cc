#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>

#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "extender/engine/select.h"
#include "extender/reuse/node_totals.h"
#include "extender/service/scheduling/pick_history.h"
#include "tests/builders.h"

namespace winnow::test {
namespace {

constexpr std::uint64_t kSeed = 7;

/// Nodes in some order, with few different totals.
struct Scores {
  explicit Scores(std::mt19937& random) {
    const std::size_t count = 1 + random() % 20;
    for (std::size_t i = 0; i < count; ++i) state.set_node(node("n" + std::to_string(i)));
    nodes = view().all_nodes();
    std::ranges::shuffle(nodes, random);
    for (std::size_t i = 0; i < count; ++i) totals.push_back(static_cast<std::int64_t>(random() % 3));
  }
  View view() const { return View(state); }
  std::string name(std::size_t i) const { return std::string(view().node_name(nodes[i])); }
  /// The draw among all nodes by name. @param rank  by index.
  template <class Rank>
  std::string drawn(const Pod& pod, const Rank& rank) const {
    std::map<std::string, std::size_t> by_name;
    for (std::size_t i = 0; i < nodes.size(); ++i) by_name[name(i)] = i;
    std::vector<decltype(rank(0))> ranks;
    for (const auto& [name, i] : by_name) ranks.push_back(rank(i));
    return std::next(by_name.begin(), static_cast<std::ptrdiff_t>(*draw_best<decltype(rank(0))>(
                                          ranks, Draw(kSeed, pod.metadata.uid))))
        ->first;
  }

  State state;
  std::vector<NodeId> nodes;
  std::vector<std::int64_t> totals;
};

Pod with_uid(int number) {
  Pod made = pod("p");
  made.metadata.uid = "uid-" + std::to_string(number);
  return made;
}

TEST_CASE("the pick does not depend on the order of the nodes") {
  std::mt19937 random(1);
  const NodePicker picker(kSeed);
  for (int i = 0; i < 300; ++i) {
    const Pod asked = with_uid(i);
    const Scores scores(random);
    const auto picked = picker.pick(asked, "key", scores.view(), scores.nodes, scores.totals);
    CHECK(scores.name(*picked) == scores.drawn(asked, [&](std::size_t at) { return scores.totals[at]; }));
  }
  const Scores scores(random);
  CHECK_FALSE(picker.pick(with_uid(0), "key", scores.view(), {}, {}));
}

TEST_CASE("a node that was not followed ranks behind its equals, and then behind all") {
  std::mt19937 random(2);
  for (int i = 0; i < 300; ++i) {
    const Pod asked = with_uid(i);
    const Scores scores(random);
    NodePicker picker(kSeed);
    const std::string once = scores.name(random() % scores.nodes.size());
    const std::string twice = scores.name(random() % scores.nodes.size());
    picker.answered("key", once);
    picker.answered("key", twice);
    picker.answered("key", twice);
    const auto rank = [&](std::size_t at) {
      const std::int64_t times = (scores.name(at) == once ? 1 : 0) + (scores.name(at) == twice ? 2 : 0);
      return std::tuple(times > 1 ? -times : 0, scores.totals[at], times == 1 ? -1 : 0);
    };
    const auto picked = picker.pick(asked, "key", scores.view(), scores.nodes, scores.totals);
    CHECK(scores.name(*picked) == scores.drawn(asked, rank));
  }
}

}  // namespace
}  // namespace winnow::test
