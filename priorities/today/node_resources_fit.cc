// NodeResourcesFit, where it scores: how much of the node's resources would be used, or stay free, with the
// pod on it. Three strategies, each over resources with weights:
// - LeastAllocated: the weighted mean of (capacity - used)*100/capacity, 0 where overcommitted;
// - MostAllocated: of used*100/capacity, 100 where overcommitted;
// - RequestedToCapacityRatio: of a line through a shape at used*100/capacity, whose points are scaled from 10
//   to 100; a resource that scores 0 is left out of this mean, which is rounded, where the others truncate.
// A resource that the node does not have is left out, and so is a scalar that the pod does not ask for.
// What the pod asks for as a whole does not count here, though it does for pods that run: upstream's scorer
// is never told of the feature. It skips no pod. Upstream:
// pkg/scheduler/framework/plugins/noderesources/fit.go, resource_allocation.go, {least,most}_allocated.go,
// requested_to_capacity_ratio.go v1.37.0.
#include "cluster/state/request_list.h"
#include "priorities/resource_use.h"

namespace winnow::priorities::today {

BindPriority node_resources_fit;

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

UtilizationShape scaled(UtilizationShape shape) {
  for (UtilizationPoint& point : shape) point.score *= kMaxNodeScore / kMaxClassicScore;
  return shape;
}

}  // namespace

BoundPriority node_resources_fit(const Request& request, const Arguments& arguments) {
  static const NodeResourcesFitArgs kDefaults;
  const auto* const given = std::get_if<NodeResourcesFitArgs>(&arguments);
  const NodeResourcesFitArgs& args = given ? *given : kDefaults;
  const ResourceList requests =
      pod_request_list(request.pod, {.with_pod_level = false, .defaults = default_requests()});
  std::vector<ResourceUse> uses = resource_uses(request.view, args.resources, requests, /*nonzero=*/true);
  switch (args.strategy) {
    case ScoringStrategy::kMostAllocated:
      return std::make_unique<MeanShare<most>>(std::move(uses));
    case ScoringStrategy::kRequestedToCapacityRatio:
      return std::make_unique<CapacityRatio>(scaled(args.shape), std::move(uses));
    default:
      return std::make_unique<MeanShare<least>>(std::move(uses));
  }
}

}  // namespace winnow::priorities::today
