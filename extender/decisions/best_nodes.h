// The best of the nodes that were scored, with every rule's part in their totals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "extender/decisions/decision_record.h"
#include "extender/engine/ruleset.h"

namespace winnow {

/// What was scored; see Scored in extender/engine/engine.h.
struct ScoredNodes {
  std::span<const std::int64_t> totals;  ///< By node.
  std::span<const std::int64_t> scores;  ///< [rule * nodes + node], without weights.
  const RuleSet& rules;
  std::function<std::string_view(std::size_t)> name_of;  ///< By node; called for the best ones.
};

/// The pick, then the others by total, kBestNodes at most. Of equal totals the earlier node comes first.
/// @param picked  an index of the nodes; nothing: the best ones by total.
std::vector<NodeTotal> best_nodes(const ScoredNodes& scored, std::optional<std::size_t> picked);

}  // namespace winnow
