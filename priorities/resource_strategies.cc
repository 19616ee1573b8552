#include <algorithm>

#include "priorities/resource_use.h"

namespace winnow::priorities {
namespace {

std::int64_t least(std::int64_t used, std::int64_t capacity) {
  return free_share(used, capacity, kMaxNodeScore);
}

std::int64_t most(std::int64_t used, std::int64_t capacity) {
  return share(std::min(used, capacity), capacity, kMaxNodeScore);
}

template <std::int64_t (*kShare)(std::int64_t used, std::int64_t capacity)>
class MeanShare final : public PerNode<MeanShare<kShare>> {
 public:
  explicit MeanShare(std::vector<ResourceUse> uses) : uses_(std::move(uses)) {}

  std::int64_t score(NodeId node) const {
    std::int64_t sum = 0, weights = 0;
    for (const ResourceUse& use : uses_) {
      const std::int64_t capacity = use.node.allocatable[node];
      if (capacity == 0) continue;
      sum = wrap_add(sum, wrap_multiply(kShare(use.used(node), capacity), use.weight));
      weights = wrap_add(weights, use.weight);
    }
    return weights == 0 ? 0 : fast_divide(sum, weights);
  }

 private:
  const std::vector<ResourceUse> uses_;
};

class CapacityRatio final : public ShapedMean<CapacityRatio> {
 public:
  using ShapedMean::ShapedMean;
  static std::optional<std::int64_t> percent(const ResourceUse& use, NodeId node) {
    const std::int64_t capacity = use.node.allocatable[node];
    if (capacity == 0) return std::nullopt;
    const std::int64_t used = use.used(node);
    return used > capacity ? 100 : share(used, capacity, 100);
  }
};

/// Scores of a shape are configured from 0 to 10.
UtilizationShape scaled(UtilizationShape shape) {
  for (UtilizationPoint& point : shape) point.score *= kMaxNodeScore / kMaxClassicScore;
  return shape;
}

}  // namespace

std::unique_ptr<const Priority> scores_use(ScoringStrategy strategy, const UtilizationShape& shape,
                                           std::vector<ResourceUse> uses) {
  switch (strategy) {
    case ScoringStrategy::kMostAllocated:
      return std::make_unique<MeanShare<most>>(std::move(uses));
    case ScoringStrategy::kRequestedToCapacityRatio:
      return std::make_unique<CapacityRatio>(scaled(shape), std::move(uses));
    default:
      return std::make_unique<MeanShare<least>>(std::move(uses));
  }
}

}  // namespace winnow::priorities
