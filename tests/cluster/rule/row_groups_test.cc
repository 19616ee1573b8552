#include "cluster/rule/row_groups.h"

#include <doctest/doctest.h>

#include <map>

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
}

}  // namespace winnow::test
