// PodTopologySpread's soft constraints: what its two ways to a raw score share.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "cluster/go_math.h"
#include "cluster/rule/rule.h"
#include "cluster/rule/topology_spread.h"

namespace winnow::priorities::today {

inline constexpr std::string_view kHostname = "kubernetes.io/hostname";

/// Go's math.Round of a number that is not negative, and below 2^52: its fraction is exact.
inline std::int64_t rounded(double number) {
  const auto whole = static_cast<std::int64_t>(number);
  return whole + (number - static_cast<double>(whole) >= 0.5 ? 1 : 0);
}

/// Turns the raw scores of nodes, or of groups of them, into scores: 100*(max + min - raw)/max. What is left
/// out keeps its 0.
/// Upstream: podtopologyspread/scoring.go NormalizeScore v1.37.0.
template <class IsLeftOut>
void reduce_spread(std::span<const NodeId> nodes, std::span<std::int64_t> scores,
                   const IsLeftOut& is_left_out) {
  std::int64_t lowest = std::numeric_limits<std::int64_t>::max(), highest = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (is_left_out(nodes[i])) continue;
    lowest = std::min(lowest, scores[i]);
    highest = std::max(highest, scores[i]);
  }
  // Many nodes have few different sums, but neighbours are often in different zones.
  struct Known {
    std::int64_t sum = std::numeric_limits<std::int64_t>::min(), score = 0;
  };
  std::array<Known, 64> all_known;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (is_left_out(nodes[i])) continue;
    const std::int64_t sum = scores[i];
    Known& known = all_known[static_cast<std::size_t>(sum) % all_known.size()];
    if (known.sum != sum)
      known = {sum,
               highest == 0 ? kMaxNodeScore : fast_divide(kMaxNodeScore * (highest + lowest - sum), highest)};
    scores[i] = known.score;
  }
}

// By what is kept for the pod's class (see KeptSlot): the domains follow the rows that have changed.

/// Goes on with what the request's slot holds. @return null: it holds nothing that can be followed.
std::unique_ptr<const Priority> spread_scores_by_kept(const Request& request);
/// Begins to keep. @param leaves_out  a node that lacks a key takes no part.
/// @return null: that cannot be done for these constraints, or not yet.
std::unique_ptr<const Priority> spread_scores_to_keep(const Request& request,
                                                      const std::vector<TopologyConstraint>& constraints,
                                                      bool leaves_out);

}  // namespace winnow::priorities::today
