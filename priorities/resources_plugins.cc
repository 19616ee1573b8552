#include <algorithm>

#include "cluster/api/resource_name.h"
#include "cluster/rule/arguments.h"
#include "cluster/state/pod_requests.h"
#include "priorities/resources.h"

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

namespace winnow::priorities::removed {
namespace {

/// The pod's request as v1.22 counts it: as v1.16 with overhead does.
std::int64_t requested(const PodRequests& requests, std::string_view resource) {
  if (resource == "cpu") return requests.nonzero_milli_cpu;
  if (resource == "memory") return requests.nonzero_memory;
  if (resource == "ephemeral-storage") return requests.ephemeral_storage;
  for (const auto& [name, amount] : requests.scalars)
    if (name == resource) return amount;
  return 0;
}

}  // namespace

std::unique_ptr<const Priority> resource_score(const Request& request, const Arguments& arguments,
                                               ScoringStrategy strategy) {
  static const ResourceScoreArgs kDefaults;
  const auto* const given = std::get_if<ResourceScoreArgs>(&arguments);
  const ResourceScoreArgs& args = given ? *given : kDefaults;
  const PodRequests requests =
      pod_requests(request.pod, Accounting::kV116WithOverhead, /*with_status=*/false);
  std::vector<ResourceUse> uses;
  for (auto resource = args.resources.begin(); resource != args.resources.end(); ++resource) {
    if (std::ranges::contains(resource + 1, args.resources.end(), resource->name, &WeighedResource::name))
      continue;
    const std::int64_t pod = requested(requests, resource->name);
    if (pod == 0 && is_scalar_resource(resource->name)) continue;
    uses.push_back({resource_columns(request.view, resource->name, /*nonzero=*/true), pod, resource->weight});
  }
  return scores_use(strategy, args.shape, std::move(uses));
}

// NodeResourcesLeastAllocated: prefers nodes whose resources stay free.
// Upstream: plugins/noderesources/least_allocated.go v1.22.17.

BindPriority node_resources_least_allocated;

BoundPriority node_resources_least_allocated(const Request& request, const Arguments& arguments) {
  return resource_score(request, arguments, ScoringStrategy::kLeastAllocated);
}

// NodeResourcesMostAllocated: prefers nodes whose resources are used.
// Upstream: plugins/noderesources/most_allocated.go v1.22.17.

BindPriority node_resources_most_allocated;

BoundPriority node_resources_most_allocated(const Request& request, const Arguments& arguments) {
  return resource_score(request, arguments, ScoringStrategy::kMostAllocated);
}

// RequestedToCapacityRatio: scores nodes by a line through a shape, at the share of their resources that is
// used. Upstream: plugins/noderesources/requested_to_capacity_ratio.go v1.22.17.

BindPriority requested_to_capacity_ratio;

BoundPriority requested_to_capacity_ratio(const Request& request, const Arguments& arguments) {
  const auto* const args = std::get_if<ResourceScoreArgs>(&arguments);
  if (!args || args->shape.empty()) return nullptr;  // A configuration cannot leave out the shape.
  return resource_score(request, arguments, ScoringStrategy::kRequestedToCapacityRatio);
}

}  // namespace winnow::priorities::removed

namespace winnow::priorities::today {

// NodeResourcesFit as a score: the share of the node's resources that would be used, or stay free, if the pod
// ran there, by one of three strategies (scores_use()). A resource that the node does not have is left out,
// and so is a scalar one that the pod does not request.
// The pod's own pod-level requests do not count, although those of running pods do: upstream's scorer is
// never told of that feature. No pod is skipped.
// Upstream: pkg/scheduler/framework/plugins/noderesources/fit.go, resource_allocation.go v1.37.0.

BindPriority node_resources_fit;

BoundPriority node_resources_fit(const Request& request, const Arguments& arguments) {
  static const NodeResourcesFitArgs kDefaults;
  const auto* const given = std::get_if<NodeResourcesFitArgs>(&arguments);
  const NodeResourcesFitArgs& args = given ? *given : kDefaults;
  const ResourceList requests =
      pod_request_list(request.pod, {.with_pod_level = false, .defaults = default_requests()});
  return scores_use(args.strategy, args.shape,
                    resource_uses(request.view, args.resources, requests, /*nonzero=*/true));
}

// NodeResourcesBalancedAllocation: prefers nodes where the pod makes the used shares of resources more equal.
// The score is 50 + (50 + with - without)/2, where with and without are the balances with and without the
// pod. A balance is int((1 - deviation)*100). For two resources the deviation is half the difference of their
// shares, for more it is the standard deviation, and for fewer 0. A share is at most 1.
// A resource that the node does not have is left out, and so is a scalar one that the pod does not request. A
// pod that requests none of the resources is skipped. Containers without a request count 0. A resize in the
// pod's status counts.
// Upstream: pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go, resource_allocation.go
// v1.37.0.

BindPriority node_resources_balanced_allocation;

namespace {

class BalancedAllocation final : public PerNode<BalancedAllocation> {
 public:
  explicit BalancedAllocation(std::vector<ResourceUse> uses) : uses_(std::move(uses)) {}

  std::int64_t score(NodeId node) const {
    Shares with, without;
    int count = 0;
    visit_shares(node, [&](double used, double before) {
      with.add(used);
      without.add(before);
      ++count;
    });
    double deviation_with = 0, deviation_without = 0;
    if (count == 2) {
      deviation_with = std::fabs(with.difference / 2);
      deviation_without = std::fabs(without.difference / 2);
    } else if (count > 2) {
      const double mean_with = with.total / count, mean_without = without.total / count;
      double sum_with = 0, sum_without = 0;
      visit_shares(node, [&](double used, double before) {
        sum_with += (used - mean_with) * (used - mean_with);
        sum_without += (before - mean_without) * (before - mean_without);
      });
      deviation_with = std::sqrt(sum_with / count);
      deviation_without = std::sqrt(sum_without / count);
    }
    const std::int64_t change = wrap_subtract(balance(deviation_with), balance(deviation_without));
    return kMaxNodeScore / 2 + wrap_add(kMaxNodeScore / 2, change) / 2;
  }

 private:
  struct Shares {
    double total = 0, difference = 0;
    void add(double share) {
      total += share;
      difference = share - difference;
    }
  };

  /// Calls visit with the used shares of each resource that the node has, in order: with the pod, without it.
  template <class Visit>
  void visit_shares(NodeId node, const Visit& visit) const {
    for (const ResourceUse& use : uses_) {
      const std::int64_t capacity = use.node.allocatable[node];
      if (capacity == 0) continue;
      const std::int64_t requested = use.node.requested[node];
      visit(share(wrap_add(requested, use.pod), capacity), share(requested, capacity));
    }
  }
  static double share(std::int64_t used, std::int64_t capacity) {
    return std::min(static_cast<double>(used) / static_cast<double>(capacity), 1.0);
  }
  static std::int64_t balance(double deviation) {
    return wrap_truncate((1 - deviation) * static_cast<double>(kMaxNodeScore));
  }

  const std::vector<ResourceUse> uses_;
};

}  // namespace

BoundPriority node_resources_balanced_allocation(const Request& request, const Arguments& arguments) {
  static const BalancedAllocationArgs kDefaults;
  const auto* const given = std::get_if<BalancedAllocationArgs>(&arguments);
  const std::vector<WeighedResource>& resources = given ? given->resources : kDefaults.resources;
  const ResourceList requests = pod_request_list(request.pod, {.with_status = true});
  const auto asks = [&](const WeighedResource& resource) { return amount_of(requests, resource.name) != 0; };
  if (std::ranges::none_of(resources, asks)) return nullptr;
  return std::make_unique<BalancedAllocation>(
      resource_uses(request.view, resources, requests, /*nonzero=*/false));
}

}  // namespace winnow::priorities::today
