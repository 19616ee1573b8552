// All that two configurations say of one pod and of the two nodes that matter.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "extender/compare/turn.h"

namespace winnow {

/// A rule's weighted scores.
struct ScoreRow {
  std::string rule;
  std::optional<std::int64_t> weight[2];                 ///< By side; nothing: it has no such rule.
  std::array<std::optional<std::int64_t>, 2> scores[2];  ///< By side, by node; nothing: not scored.
};

/// What one side says of one node.
struct NodeSaid {
  std::vector<RuleRefusal> refusals;  ///< None: it fits.
  std::optional<std::int64_t> total;  ///< Nothing: not scored.
};

struct PodDetail {
  std::string pod;
  std::string chosen[2];  ///< By side, on the state that A's pods before have left; "": nowhere.
  std::string why[2];     ///< By side: why nowhere.
  /// B's node in its own run, "" for nowhere, where that is not chosen[kB]: pods before it went elsewhere.
  std::optional<std::string> in_own_run;
  /// The nodes that are looked at, each once: A's; then B's. Where B's is the same, its node in its own run;
  /// where that is the same too, the second best under A.
  std::vector<std::string> nodes;
  std::vector<std::array<NodeSaid, 2>> said;  ///< By node, by side.
  std::vector<ScoreRow> scores;               ///< The rules that score; A's first.
  std::optional<ChoiceTurn> turn;             ///< Nothing: both choose the same node, in both runs.
  bool placed = false;                        ///< A pod that runs; A's node is the one that it is on.
};

/// Asks both sides about the two nodes.
/// @param nodes  names, two at most; without the empty ones.
PodDetail detail_of(const Pod& pod, const Asked& a, const Asked& b, std::vector<std::string> nodes);

}  // namespace winnow
