#include "priorities/share_lanes.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "cluster/go_math.h"
#include "priorities/rules.h"

namespace winnow::priorities {
namespace {

/// Amounts from 1 to the largest plain one, most of them round, and requests around them.
AmountBlock random_block(std::mt19937_64& random) {
  AmountBlock block;
  for (std::size_t i = 0; i < kNodesPerBlock; ++i) {
    const std::int64_t most = std::int64_t{1} << (random() % 46 + 1);
    std::int64_t has = 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
    if (random() % 2 == 0) has = std::max<std::int64_t>(has / 100 * 100, 1);
    block.allocatable[i] = std::min(has, kMostPlainAmount - 1);
    std::int64_t asked = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(2 * has));
    if (random() % 4 == 0) asked = has / 100 * static_cast<std::int64_t>(random() % 101);
    block.requested[i] = std::min(asked, kMostPlainAmount - 1);
  }
  return block;
}

/// Upstream: plugins/noderesources/balanced_allocation.go v1.37.0, for two resources.
std::int64_t balance(double first, double second) {
  return wrap_truncate((1 - std::fabs((std::min(first, 1.0) - std::min(second, 1.0)) / 2)) * 100);
}

double share_of(std::int64_t asked, std::int64_t has) {
  return static_cast<double>(asked) / static_cast<double>(has);
}

}  // namespace

TEST_CASE("the lanes of each set of instructions give what the formulas give node by node") {
  std::mt19937_64 random(1);
  REQUIRE_FALSE(all_share_lanes().empty());
  for (int round = 0; round < 200; ++round) {
    const AmountBlock first = random_block(random), second = random_block(random);
    const std::int64_t first_pod = round % 5 == 0 ? 0 : first.allocatable[0] / (1 + round);
    const std::int64_t second_pod = round % 7 == 0 ? kMostPlainAmount - 1 : second.requested[1];
    const std::size_t nodes = round % 3 == 0 ? kNodesPerBlock : random() % kNodesPerBlock + 1;
    const std::int64_t by = round % 2 == 0 ? 3 : 4;
    for (const ShareLanes& lanes : all_share_lanes()) {
      SumBlock free{}, used{};
      lanes.add_free(first, static_cast<double>(first_pod), 1, nodes, free);
      lanes.add_free(second, static_cast<double>(second_pod), static_cast<double>(by - 1), nodes, free);
      lanes.add_used(first, static_cast<double>(first_pod), static_cast<double>(by), nodes, used);
      std::vector<std::int64_t> free_means(nodes), used_means(nodes), balances(nodes);
      lanes.divide(free, static_cast<double>(by), nodes, free_means.data());
      lanes.divide(used, static_cast<double>(by), nodes, used_means.data());
      lanes.balance(first, static_cast<double>(first_pod), second, static_cast<double>(second_pod), nodes,
                    balances.data());
      for (std::size_t i = 0; i < nodes; ++i) {
        CAPTURE(round);
        CAPTURE(i);
        const std::int64_t first_has = first.allocatable[i], first_asked = first.requested[i];
        const std::int64_t second_has = second.allocatable[i], second_asked = second.requested[i];
        REQUIRE(free_means[i] == (free_share(first_asked + first_pod, first_has, 100) +
                                  (by - 1) * free_share(second_asked + second_pod, second_has, 100)) /
                                     by);
        REQUIRE(used_means[i] == share(std::min(first_asked + first_pod, first_has), first_has, 100));
        const std::int64_t change =
            balance(share_of(first_asked + first_pod, first_has),
                    share_of(second_asked + second_pod, second_has)) -
            balance(share_of(first_asked, first_has), share_of(second_asked, second_has));
        REQUIRE(balances[i] == 50 + (50 + change) / 2);
      }
    }
  }
}

TEST_CASE("a machine with wide instructions has two sets of lanes") {
#ifdef __x86_64__
  CHECK(all_share_lanes().size() == (__builtin_cpu_supports("avx2") ? 2 : 1));
#endif
  CHECK(&share_lanes() == &all_share_lanes().back());
}

}  // namespace winnow::priorities
