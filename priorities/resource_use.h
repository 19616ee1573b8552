// Resources as they would be used on a node with the pod on it.
#pragma once

#include <cmath>

#include "priorities/rules.h"

namespace winnow::priorities {

struct ResourceUse {
  ScalarColumns node;
  std::int64_t pod = 0;  ///< What the pod asks for.
  std::int64_t weight = 1;

  std::int64_t used(NodeId id) const { return wrap_add(node.requested[id], pod); }
};

/// What nodes offer of a resource and what their pods ask for; 0 for a name that nodes do not account for.
/// @param nonzero  cpu and memory with upstream's default for containers that name neither.
ScalarColumns resource_columns(const View& view, std::string_view resource, bool nonzero);

/// What today's plugins weigh: a scalar resource that the pod does not ask for is left out.
/// @param requests  the pod's.
/// Upstream: plugins/noderesources/resource_allocation.go calculateNodeAllocatableRequest v1.37.0.
std::vector<ResourceUse> resource_uses(const View& view, std::span<const WeighedResource> resources,
                                       const ResourceList& requests, bool nonzero);

/// The weighted mean over the resources of the line through a shape at each one's percentage, those that
/// score 0 left out, rounded half away from zero. Derive, and give
/// `static std::optional<std::int64_t> percent(const ResourceUse&, NodeId)`, nothing for one to be left out.
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
