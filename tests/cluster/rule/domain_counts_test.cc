#include "cluster/rule/domain_counts.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "tests/cluster/state/random_cluster.h"

namespace winnow::test {
namespace {

struct Row {
  Symbol value = kNone;
  DomainCounts::Part part;
};

/// The sums of each value, found anew.
std::map<Symbol, DomainCounts::Domain> summed(const std::map<NodeId, Row>& rows) {
  std::map<Symbol, DomainCounts::Domain> domains;
  for (const auto& [node, row] : rows) {
    if (row.value == kNone) continue;
    DomainCounts::Domain& domain = domains[row.value];
    domain.sum += row.part.amount;
    domain.rows += 1;
    domain.counting += row.part.counts ? 1 : 0;
    domain.rows_xor ^= node;
  }
  return domains;
}

void check(const DomainCounts& counts, const std::map<NodeId, Row>& rows) {
  const auto expected = summed(rows);
  CHECK(counts.in_use() == expected.size());
  for (const auto& [node, row] : rows) {
    const std::uint32_t number = counts.domain_of(node);
    CHECK((number == kNone) == (row.value == kNone));
    if (number == kNone) continue;
    const DomainCounts::Domain &is = counts[number], wanted = expected.at(row.value);
    CHECK(is.sum == wanted.sum);
    CHECK(is.rows == wanted.rows);
    CHECK(is.counting == wanted.counting);
    CHECK(is.rows_xor == wanted.rows_xor);
  }
}

}  // namespace

TEST_SUITE("domain counts") {
  TEST_CASE("after any changes the sums are those of all rows") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      CAPTURE(seed);
      Draws draws(seed);
      DomainCounts counts;
      std::map<NodeId, Row> rows;
      for (int step = 0; step < 200; ++step) {
        const auto node = static_cast<NodeId>(draws.below(12));
        Row row{.value = static_cast<Symbol>(draws.below(5)),
                .part = {static_cast<std::int64_t>(draws.below(9)) - 3, draws.one_in(2)}};
        if (draws.one_in(5)) row.value = kNone;
        const std::uint32_t before = counts.domain_of(node);
        const bool same = rows.contains(node) && rows[node].value == row.value && rows[node].part == row.part;
        const auto changed = counts.set(node, row.value, row.part);
        rows[node] = row;
        check(counts, rows);
        const std::uint32_t now = counts.domain_of(node);
        if (same || (before == kNone && now == kNone)) {
          CHECK(changed == std::pair(kNone, kNone));
        } else {
          CHECK((changed.first == before || before == now));
          CHECK(changed.second == now);
        }
      }
    }
  }

  TEST_CASE("a mark that changes moves the domain's nodes") {
    DomainCounts counts;
    counts.set(3, 7, {1, true});
    const std::uint32_t domain = counts.domain_of(3);
    DomainMarks marks;
    MovedNodes moved;
    marks.set(counts, domain, false, moved);
    REQUIRE(moved.nodes());
    CHECK(moved.nodes()->empty());
    marks.set(counts, domain, true, moved);
    CHECK(marks[domain]);
    CHECK(marks.marked() == 1);
    CHECK(*moved.nodes() == std::vector<NodeId>{3});

    counts.set(4, 7, {1, true});
    marks.set(counts, domain, false, moved);
    CHECK(marks.marked() == 0);
    CHECK(moved.nodes() == nullptr);  // Of a domain with several nodes all may have.
    moved.clear();
    CHECK(moved.nodes()->empty());
  }
}

}  // namespace winnow::test
