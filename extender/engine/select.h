// The choice of a node by the totals, and the scores of an answer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace winnow {

class NodeTotals;
struct RuleSet;
struct Scored;

/// The largest score of an answer to kube-scheduler. Upstream: extender/v1 MaxExtenderPriority.
inline constexpr std::int64_t kMaxAnswer = 10;

enum class ScoreScale : std::uint8_t {
  kBest,  ///< The lowest total gives 0 and the highest 10. Only nodes that tie for the highest get 10.
  kMean,  ///< The weighted mean over the rules whose scores differ.
};

/// The scores of an answer, 0 to 10, by node.
/// kBest: floor(10 * (total - lowest) / (highest - lowest)); 10 for all nodes if all totals are equal.
/// kMean: sum(weight * score) / sum(weight), over the rules whose scores differ among the nodes. Today's
/// scores go to 100, so their mean is divided by 10. It is rounded half up, and cut to 0 to 10. If no rule's
/// scores differ, all nodes get 10.
std::vector<std::int64_t> scale_answers(const Scored& scored, const RuleSet& rules, ScoreScale scale);

/// A pseudo-random generator (SplitMix64). The numbers depend only on the seed and the pod's UID.
class Draw {
 public:
  /// @param seed  --seed, or a random number of the process. @param pod_uid  makes the numbers differ by pod.
  Draw(std::uint64_t seed, std::string_view pod_uid);
  /// A number in [0, n); n > 0.
  std::uint64_t below(std::uint64_t n) { return next_for(n) % n; }
  /// As below(), for a number of no interest.
  void skip_below(std::uint64_t n) { next_for(n); }

 private:
  std::uint64_t next();
  std::uint64_t next_for(std::uint64_t n);
  std::uint64_t state_;
};

/// Selects one of the nodes with the highest total, each with the same chance, by reservoir sampling.
/// @return its index; nothing if there are no nodes.
/// Upstream: core/generic_scheduler.go selectHost v1.16.15.
std::optional<std::size_t> select_host(std::span<const std::int64_t> totals, Draw& draw);

/// Draws one of those that tie for the highest rank.
/// @param before  how many lower ones precede the first of them in the order. They take draws too, so that
///   the result is that of draw_best(). @param equals  the number of those that tie; not 0.
/// @return the index among those that tie.
std::size_t draw_equal(std::size_t before, std::size_t equals, Draw draw);

/// Draws one of those with the highest rank, each with the same chance. What is drawn depends on the draw, on
/// the order, and on who has the highest rank; not on the ranks of the others.
/// @return its index; nothing if there are none.
template <class Rank>
std::optional<std::size_t> draw_best(std::span<const Rank> ranks, Draw draw) {
  if (ranks.empty()) return std::nullopt;
  const Rank best = *std::ranges::max_element(ranks);
  std::vector<std::size_t> equals;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    if (ranks[i] == best) equals.push_back(i);
  return equals[draw_equal(equals.front(), equals.size(), draw)];
}
/// The same of nodes by their totals.
std::optional<std::size_t> draw_best(const NodeTotals& totals, Draw draw);

}  // namespace winnow
