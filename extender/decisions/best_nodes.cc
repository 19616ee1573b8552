#include "extender/decisions/best_nodes.h"

#include <algorithm>
#include <array>

#include "cluster/go_int.h"
#include "cluster/text/utf8.h"

namespace winnow {
namespace {

/// The nodes with the highest totals, in order; of equal totals the earlier ones. One pass, one comparison
/// for most nodes.
struct Highest {
  std::array<std::size_t, kBestNodes> places{};
  std::size_t count = 0;

  explicit Highest(std::span<const std::int64_t> totals) {
    std::size_t i = 0;
    for (; i < totals.size() && count < places.size(); ++i) insert(totals, i, count++);
    std::int64_t last = count > 0 ? totals[places[count - 1]] : 0;
    for (; i < totals.size(); ++i) {
      if (totals[i] <= last) [[likely]]
        continue;
      insert(totals, i, count - 1);
      last = totals[places[count - 1]];
    }
  }

  /// Puts a node first, in place of the last one if it is not among them.
  void put_first(std::size_t node) {
    const auto used = std::span(places).first(count);
    auto at = std::ranges::find(used, node);
    if (at == used.end()) *(at = used.end() - 1) = node;
    std::rotate(used.begin(), at, at + 1);
  }

 private:
  void insert(std::span<const std::int64_t> totals, std::size_t node, std::size_t at) {
    for (; at > 0 && totals[places[at - 1]] < totals[node]; --at) places[at] = places[at - 1];
    places[at] = node;
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

std::vector<NodeTotal> best_nodes(const ScoredNodes& scored, std::optional<std::size_t> picked) {
  Highest highest(scored.totals);
  if (picked) highest.put_first(*picked);
  std::vector<NodeTotal> best;
  best.reserve(highest.count);
  for (std::size_t i = 0; i < highest.count; ++i) best.push_back(total_of(scored, highest.places[i]));
  return best;
}

}  // namespace winnow
