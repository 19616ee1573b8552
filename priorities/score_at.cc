#include "priorities/rules.h"

namespace winnow::priorities {

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
