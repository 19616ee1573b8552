// RequestedToCapacityRatio: scores nodes by a line through a shape, at the share of their resources that is
// used. Upstream: plugins/noderesources/requested_to_capacity_ratio.go v1.22.17.
#include "cluster/rule/arguments.h"
#include "priorities/removed/resource_scores.h"

namespace winnow::priorities::removed {

BindPriority requested_to_capacity_ratio;

BoundPriority requested_to_capacity_ratio(const Request& request, const Arguments& arguments) {
  const auto* const args = std::get_if<ResourceScoreArgs>(&arguments);
  if (!args || args->shape.empty()) return nullptr;  // A configuration cannot leave out the shape.
  return resource_score(request, arguments, ScoringStrategy::kRequestedToCapacityRatio);
}

}  // namespace winnow::priorities::removed
