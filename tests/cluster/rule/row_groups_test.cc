#include "cluster/rule/row_groups.h"

#include <doctest/doctest.h>

#include <map>
#include <span>
#include <string>
#include <vector>

#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "tests/builders.h"
#include "tests/cluster/state/random_cluster.h"

namespace winnow::test {
namespace {

RowGroups::Key key_of(std::uint32_t a, std::uint32_t b) { return {a, b, kNone, kNone}; }

using Keys = std::map<NodeId, RowGroups::Key>;

/// Rows have one group if, and only if, they have one key.
void check(const RowGroups& groups, const Keys& keys) {
  const NodeGroups is = groups.groups();
  std::map<RowGroups::Key, std::uint32_t> by_key;
  for (const auto& [row, key] : keys) {
    REQUIRE(row < is.of_row.size());
    const std::uint32_t group = is.of_row[row];
    CHECK(group < is.count);
    CHECK(groups.key(group) == key);
    CHECK(by_key.try_emplace(key, group).first->second == group);
  }
}

}  // namespace

TEST_SUITE("row groups") {
  TEST_CASE("after any changes rows of one key are one group, and the moves lead there") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      CAPTURE(seed);
      Draws draws(seed);
      RowGroups groups;
      Keys keys;
      std::map<NodeId, std::uint32_t> followed;  // By the moves alone.
      for (int step = 0; step < 100; ++step) {
        groups.begin();
        for (std::size_t changes = draws.below(6); changes > 0; --changes) {
          const auto row = static_cast<NodeId>(draws.below(12));
          keys[row] = key_of(static_cast<std::uint32_t>(draws.below(3)),
                             draws.one_in(3) ? kNone : static_cast<std::uint32_t>(draws.below(2)));
          groups.set(row, keys[row]);
        }
        check(groups, keys);
        const NodeGroups now = groups.groups();
        CHECK((now.moves == nullptr) == (step == 0));
        if (!now.moves) {
          for (const auto& [row, key] : keys) followed[row] = now.of_row[row];
          continue;
        }
        for (const NodeGroups::Move& move : *now.moves) {
          CHECK((followed.contains(move.row) ? followed[move.row] : kNone) == move.before);
          CHECK(move.before != move.now);
          followed[move.row] = move.now;
        }
        for (const auto& [row, group] : followed) CHECK(now.of_row[row] == group);
      }
      CHECK(groups.groups().count <=
            10);  // A number that is free is given again: 9 keys, and one on its way.
    }
  }
  TEST_CASE("rows that were of many groups, and are of few, get new numbers") {
    State state;
    for (int i = 0; i < 200; ++i) state.set_node(node("n" + std::to_string(i)));
    const View view(state);
    const std::vector<NodeId> rows = view.all_nodes();
    RowGroups groups;
    groups.follow(view, rows, [](NodeId row) { return key_of(row, 0); });
    CHECK(groups.groups().moves == nullptr);
    CHECK(groups.groups().count == 200);
    groups.follow(view, rows, [](NodeId) { return key_of(1, 1); });
    CHECK(groups.groups().moves->size() == 200);
    groups.follow(view, {}, [](NodeId) { return key_of(1, 1); });
    CHECK(groups.groups().moves == nullptr);
    CHECK(groups.groups().count == 1);
    groups.follow(view, std::span(rows).first(1), [](NodeId) { return key_of(2, 2); });
    CHECK(groups.groups().moves->size() == 1);
    CHECK(groups.groups().count == 2);
  }
}

}  // namespace winnow::test
