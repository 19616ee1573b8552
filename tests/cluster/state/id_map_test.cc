#include <doctest/doctest.h>

#include <map>

#include "cluster/state/row_values.h"
#include "tests/cluster/state/random_cluster.h"
#include "tests/failing_memory.h"

namespace winnow::test {
namespace {

TEST_CASE("a map of ids has what was put into it and not taken out") {
  Draws draws(1);
  IdMap<std::int64_t> ids;
  std::map<std::uint32_t, std::int64_t> model;
  for (int i = 0; i < 20'000; ++i) {
    // It grows to hundreds of entries and shrinks to none, again and again.
    const bool grows = i / 2000 % 2 == 0;
    const auto id = static_cast<std::uint32_t>(draws.below(1000));
    if (draws.one_in(4) != grows) {
      ids.put(id, i);
      model[id] = i;
    } else {
      ids.erase(id);
      model.erase(id);
    }
    REQUIRE(ids.size() == model.size());
    const auto probe = static_cast<std::uint32_t>(draws.below(1000));
    REQUIRE(ids.find(probe, -1) == (model.contains(probe) ? model.at(probe) : -1));
  }
  std::map<std::uint32_t, std::int64_t> visited;
  ids.for_each([&](std::uint32_t id, std::int64_t value) { visited[id] = value; });
  CHECK(visited == model);
}

TEST_CASE("a map of ids takes memory by its entries") {
  const std::int64_t before = live_bytes();
  IdMap<std::int64_t> ids;
  CHECK(live_bytes() == before);
  for (std::uint32_t i = 0; i < 10'000; ++i) ids.put(7 * i, i);
  CHECK(live_bytes() - before < std::int64_t{10'000} * 2 * 3 * 16 / 2);
  for (std::uint32_t i = 0; i < 9'990; ++i) ids.erase(7 * i);
  CHECK(live_bytes() - before < 10 * 8 * 16 + 64);
  for (std::uint32_t i = 9'990; i < 10'000; ++i) ids.erase(7 * i);
  CHECK(live_bytes() == before);
}

}  // namespace
}  // namespace winnow::test
