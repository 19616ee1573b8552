#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "extender/reuse/kept_class.h"
#include "tests/cluster/state/random_cluster.h"

namespace winnow::test {
namespace {

using Nodes = std::vector<NodeId>;

LastNodes last_of(const Nodes& nodes, std::size_t rows) {
  LastNodes last;
  last.set(nodes);
  last.find_places(rows);
  return last;
}

/// The list after the changes, as one who keeps something beside each node makes them.
Nodes changed(Nodes nodes, const std::vector<LastNodes::Change>& changes) {
  for (const LastNodes::Change& change : changes) {
    const auto at = nodes.begin() + static_cast<std::ptrdiff_t>(change.place);
    if (change.has_come) {
      nodes.insert(at, change.row);
    } else {
      CHECK(*at == change.row);
      nodes.erase(at);
    }
  }
  return nodes;
}

/// Whether a node of both lists has another place among those of both.
bool has_moved(Nodes one, Nodes other) {
  const Nodes all = one;
  std::erase_if(one, [&](NodeId row) { return !std::ranges::contains(other, row); });
  std::erase_if(other, [&](NodeId row) { return !std::ranges::contains(all, row); });
  return one != other;
}

/// The same nodes in the same order but for a few that come or go, of the first so many rows.
Nodes with_few_changes(const Nodes& nodes, std::size_t rows, Draws& draws) {
  Nodes other = nodes;
  for (std::size_t changes = draws.below(5); changes > 0; --changes) {
    const auto row = static_cast<NodeId>(draws.below(rows));
    if (std::erase(other, row) == 0)
      other.insert(other.begin() + static_cast<std::ptrdiff_t>(draws.below(other.size() + 1)), row);
  }
  return other;
}

}  // namespace

TEST_SUITE("last nodes") {
  TEST_CASE("few nodes that come or go are found, and each node has its place then") {
    constexpr std::size_t kRows = 700;
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      CAPTURE(seed);
      Draws draws(seed);
      Nodes nodes;
      for (NodeId row = 0; row < kRows; ++row)
        if (!draws.one_in(5)) nodes.push_back(row);
      LastNodes last = last_of(nodes, kRows);
      for (int step = 0; step < 20; ++step) {
        const Nodes now = with_few_changes(nodes, kRows + 5, draws);
        const auto changes = last.changes_to(now);
        if (has_moved(nodes, now)) continue;  // A node has left, and has come again elsewhere.
        REQUIRE(changes);
        CHECK(changed(nodes, *changes) == now);
        CHECK(changes->empty() == (nodes == now));
        last.change(now, *changes);
        nodes = now;
        for (NodeId row = 0; row < kRows + 5; ++row) {
          const auto at = std::ranges::find(nodes, row);
          CHECK(last.place_of(row) ==
                (at == nodes.end() ? kNone : static_cast<std::uint32_t>(at - nodes.begin())));
        }
      }
    }
  }
  TEST_CASE("one that goes, one that comes, and one in place of another are one or two changes") {
    const auto changes_to = [](const Nodes& nodes) {
      const auto changes = last_of({1, 2, 3, 4}, 10).changes_to(nodes);
      return changes ? changes->size() : 99;
    };
    CHECK(changes_to({1, 2, 3, 4}) == 0);
    CHECK(changes_to({2, 3, 4}) == 1);
    CHECK(changes_to({1, 2, 3}) == 1);
    CHECK(changes_to({1, 2, 9, 3, 4}) == 1);
    CHECK(changes_to({1, 2, 3, 4, 9}) == 1);
    CHECK(changes_to({1, 9, 3, 4}) == 2);
    CHECK(changes_to({1, 8, 9, 2, 3, 4}) == 2);
    CHECK(changes_to({1, 8, 9, 3, 4}) == 3);
    CHECK(changes_to({}) == 4);
  }
  TEST_CASE("32 changes are few, and 33 are many") {
    const LastNodes last = last_of({1, 2, 3}, 100);
    const auto with = [](NodeId first, NodeId second) {
      Nodes nodes = {1};
      for (NodeId row = 10; row < 10 + first; ++row) nodes.push_back(row);
      nodes.push_back(2);
      for (NodeId row = 50; row < 50 + second; ++row) nodes.push_back(row);
      nodes.push_back(3);
      return nodes;
    };
    CHECK(last.changes_to(with(32, 0))->size() == 32);
    CHECK(last.changes_to(with(12, 20))->size() == 32);
    CHECK_FALSE(last.changes_to(with(33, 0)));
    CHECK_FALSE(last.changes_to(with(13, 20)));
  }
  TEST_CASE("another order, and another list, are no few changes") {
    CHECK_FALSE(last_of({1, 2, 3}, 10).changes_to(Nodes{2, 1, 3}));
    Nodes many(40), others(40);
    std::iota(many.begin(), many.end(), NodeId{0});
    std::iota(others.begin(), others.end(), NodeId{40});
    CHECK_FALSE(last_of(many, 100).changes_to(others));
  }
}

}  // namespace winnow::test
