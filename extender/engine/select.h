// From totals to a choice, and to the answer's scale.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "extender/engine/engine.h"

namespace winnow {

/// The largest score of an answer to kube-scheduler. Upstream: extender/v1 MaxExtenderPriority.
inline constexpr std::int64_t kMaxAnswer = 10;

enum class ScoreScale : std::uint8_t {
  kBest,  ///< From the lowest total, 0, to the highest, 10: only what ties for the best gets 10.
  kMean,  ///< The weighted mean over the rules whose scores differ.
};

/// kBest: floor(10 * (total - lowest) / (highest - lowest)); all 10 where all are equal.
/// kMean: sum(weight * score) / sum(weight) over the rules whose scores differ among the nodes, of today's
/// rules a tenth of it, rounded half up; all 10 where no rule's do.
std::vector<std::int64_t> scale_answers(const Scored& scored, const RuleSet& rules, ScoreScale scale);

/// Numbers that look random and are a function of what they were seeded with (SplitMix64).
class Draw {
 public:
  /// The draw of one pod: the same seed and UID give the same numbers.
  Draw(std::uint64_t seed, std::string_view pod_uid);
  /// A number in [0, n); n > 0.
  std::uint64_t below(std::uint64_t n);

 private:
  std::uint64_t next();
  std::uint64_t state_;
};

/// One of the nodes with the highest total, each with the same chance, by reservoir sampling as upstream's
/// selectHost. @return its index; nothing if there are none.
/// Upstream: core/generic_scheduler.go selectHost (seed: later than v1.16's round robin).
std::optional<std::size_t> select_host(std::span<const std::int64_t> totals, Draw& draw);

}  // namespace winnow
