// NodeResourcesFit as a score: the share of the node's resources that would be used, or stay free, if the pod
// ran there. There are three strategies, and each is a weighted mean over resources:
// - LeastAllocated: of (capacity - used)*100/capacity, 0 if overcommitted; truncated.
// - MostAllocated: of used*100/capacity, 100 if overcommitted; truncated.
// - RequestedToCapacityRatio: of a line through a shape at used*100/capacity, with scores scaled from 10 to
//   100. Resources that score 0 are left out, and the mean is rounded.
// A resource that the node does not have is left out, and so is a scalar one that the pod does not request.
// The pod's own pod-level requests do not count, although those of running pods do: upstream's scorer is
// never told of that feature. No pod is skipped.
// Upstream: pkg/scheduler/framework/plugins/noderesources/fit.go, resource_allocation.go,
// {least,most}_allocated.go, requested_to_capacity_ratio.go v1.37.0.
#include "cluster/rule/arguments.h"
#include "cluster/state/requests/request_list.h"
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

/// Scores of a shape are configured from 0 to 10.
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
