#include "priorities/rules.h"

namespace winnow::priorities {

void normalize(std::span<std::int64_t> scores, std::int64_t max, bool reversed) {
  std::int64_t largest = 0;
  for (const std::int64_t score : scores) largest = std::max(largest, score);
  for (std::int64_t& score : scores) {
    if (score != 0 && largest != 0) score = max * score / largest;  // Most are 0: spare their division.
    if (reversed) score = largest == 0 ? max : max - score;
  }
}

// Utilization increases from point to point, so that the first point at or above it ends the right segment.
std::int64_t score_at(std::span<const UtilizationPoint> shape, std::int64_t utilization) {
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (utilization > shape[i].utilization) continue;
    if (i == 0) return shape[0].score;
    const UtilizationPoint &from = shape[i - 1], &to = shape[i];
    return from.score +
           (to.score - from.score) * (utilization - from.utilization) / (to.utilization - from.utilization);
  }
  return shape.back().score;
}

}  // namespace winnow::priorities
