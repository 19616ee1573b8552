// The use of a node's resources if the pod ran there, and what the removed plugins share that score by it.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/api/pod.h"
#include "cluster/rule/cause.h"
#include "priorities/rules.h"

namespace winnow {

struct DeviceTotals;
enum class ScoringStrategy : std::uint8_t;

/// Of RequestedToCapacityRatioPriority.
struct CapacityRatioShape {
  UtilizationShape points;
  std::vector<WeighedResource> resources;
};

struct BalancedAllocationArgs {
  std::vector<WeighedResource> resources{{"cpu", 1}, {"memory", 1}};
};

/// Of the removed NodeResourcesLeastAllocated, NodeResourcesMostAllocated and RequestedToCapacityRatio.
struct ResourceScoreArgs {
  std::vector<WeighedResource> resources{{"cpu", 1}, {"memory", 1}};  ///< Of equal names the last counts.
  UtilizationShape shape;                                             ///< RequestedToCapacityRatio only.
};

}  // namespace winnow

namespace winnow::priorities {

/// One resource, in thousandths for cpu and whole units otherwise.
struct ResourceUse {
  ScalarColumns node;
  std::int64_t pod = 0;     ///< The pod's request.
  std::int64_t weight = 1;  ///< Of the resource among the others.
  /// Where devices provide the resource on some nodes: what the columns are of.
  std::shared_ptr<const DeviceTotals> by_devices = {};

  std::int64_t used(NodeId id) const { return wrap_add(node.requested[id], pod); }
};

/// The nodes' allocatable and their pods' requests of a resource; 0 for a name that nodes do not account for.
/// @param nonzero  cpu and memory with upstream's defaults: a container without a cpu request counts 100m,
///   and one without a memory request 200Mi.
ScalarColumns resource_columns(const View& view, std::string_view resource, bool nonzero);

/// The resources that today's plugins weigh. A scalar resource that the pod does not request is left out. On
/// a node that does not offer an extended resource the devices of the class that provides it count.
/// @param requests  the pod's. @param nonzero  as of resource_columns().
/// Upstream: plugins/noderesources/resource_allocation.go calculateNodeAllocatableRequest v1.37.0.
std::vector<ResourceUse> resource_uses(const View& view, std::span<const WeighedResource> resources,
                                       const ResourceList& requests, bool nonzero);

/// Finds how much of resources would be used on a node. @param uses  by the resource's name.
std::unique_ptr<const CauseFinder> find_uses(std::vector<std::pair<std::string, ResourceUse>> uses);

/// Finds how much of the same resources would be used on a node.
std::unique_ptr<const CauseFinder> find_uses(const View& view, std::span<const WeighedResource> resources,
                                             const ResourceList& requests, bool nonzero);

/// A priority by the share of each resource that would be used, or stay free. It is a weighted mean over
/// resources, without those that the node does not have:
/// - LeastAllocated: of (capacity - used)*100/capacity, 0 if overcommitted; truncated.
/// - MostAllocated: of used*100/capacity, 100 if overcommitted; truncated.
/// - RequestedToCapacityRatio: of a line through a shape at used*100/capacity, with scores scaled from 10 to
///   100. Resources that score 0 are left out, and the mean is rounded.
/// @param shape  of RequestedToCapacityRatio; otherwise unused.
/// Upstream: plugins/noderesources/{least,most}_allocated.go, requested_to_capacity_ratio.go v1.22.17 and
/// v1.37.0: the same in both.
std::unique_ptr<const Priority> scores_use(ScoringStrategy strategy, const UtilizationShape& shape,
                                           std::vector<ResourceUse> uses);

/// The base of a rule that reads each resource's score off a shape, at the percentage that is used
/// (score_at()). The node's score is their weighted mean, without the resources that score 0, rounded half
/// away from zero. A derived class defines
/// `static std::optional<std::int64_t> percent(const ResourceUse&, NodeId)`, which gives nothing for a
/// resource to leave out.
template <class Rule>
class ShapedMean : public PerNode<Rule> {
 public:
  ShapedMean(UtilizationShape shape, std::vector<ResourceUse> uses)
      : shape_(std::move(shape)), uses_(std::move(uses)) {}

  std::int64_t score(NodeId node) const {
    std::int64_t sum = 0, weights = 0;
    for (const ResourceUse& use : uses_) {
      const std::optional<std::int64_t> percent = Rule::percent(use, node);
      const std::int64_t score = percent ? score_at(shape_, *percent) : 0;
      if (score <= 0) continue;
      sum = wrap_add(sum, wrap_multiply(score, use.weight));
      weights = wrap_add(weights, use.weight);
    }
    if (weights == 0) return 0;
    return wrap_truncate(std::round(static_cast<double>(sum) / static_cast<double>(weights)));
  }

 private:
  const UtilizationShape shape_;
  const std::vector<ResourceUse> uses_;
};

}  // namespace winnow::priorities

namespace winnow::priorities::removed {

// What the removed plugins share that score by the use of resources.

/// A priority by a strategy that v1.22 has as a plugin of its own. The pod's request is counted as v1.22
/// counts it: an init container that goes on running is one that ends, and the overhead's cpu is added in
/// whole units to thousandths. Pods on nodes count as today.
/// @param arguments  ResourceScoreArgs, or none: the defaults.
/// Upstream: plugins/noderesources/resource_allocation.go v1.22.17.
std::unique_ptr<const Priority> resource_score(const Request& request, const Arguments& arguments,
                                               ScoringStrategy strategy);

}  // namespace winnow::priorities::removed
