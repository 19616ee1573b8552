#include "extender/decisions/best_nodes.h"

#include <algorithm>
#include <array>

#include "cluster/go_int.h"
#include "cluster/text/utf8.h"

namespace winnow {
namespace {

/// The best of the nodes but one, in order. One pass, and no allocation.
struct Runners {
  std::array<std::size_t, kBestNodes - 1> places{};
  std::size_t count = 0;

  Runners(std::span<const std::int64_t> totals, std::size_t picked) {
    for (std::size_t i = 0; i < totals.size(); ++i) {
      if (i == picked || (count == places.size() && totals[i] <= totals[places[count - 1]])) continue;
      std::size_t at = count < places.size() ? count++ : count - 1;
      for (; at > 0 && totals[places[at - 1]] < totals[i]; --at) places[at] = places[at - 1];
      places[at] = i;
    }
  }
};

NodeTotal total_of(const ScoredNodes& scored, std::size_t node) {
  NodeTotal total{.node = utf8_shortened(scored.name_of(node), kMostNameBytes),
                  .total = scored.totals[node],
                  .scores = {}};
  const auto& rules = scored.rules.priorities;
  if (rules.size() > kMostScoredRules) return total;
  total.scores.reserve(rules.size());
  for (std::size_t rule = 0; rule < rules.size(); ++rule)
    total.scores.push_back(
        wrap_multiply(rules[rule].weight, scored.scores[rule * scored.totals.size() + node]));
  return total;
}

}  // namespace

std::vector<NodeTotal> best_nodes(const ScoredNodes& scored, std::size_t picked) {
  const Runners runners(scored.totals, picked);
  std::vector<NodeTotal> best;
  best.reserve(1 + runners.count);
  best.push_back(total_of(scored, picked));
  for (std::size_t i = 0; i < runners.count; ++i) best.push_back(total_of(scored, runners.places[i]));
  return best;
}

}  // namespace winnow
