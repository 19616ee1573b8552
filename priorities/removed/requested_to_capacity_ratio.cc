// RequestedToCapacityRatio: scores nodes by a line through a shape, at the share of their resources that is
// used. Upstream: plugins/noderesources/requested_to_capacity_ratio.go v1.22.17, the last release that has
// the plugin.
#include "priorities/removed/resource_scores.h"

namespace winnow::priorities::removed {

BindPriority requested_to_capacity_ratio;

BoundPriority requested_to_capacity_ratio(const Request& request, const Arguments& arguments) {
  return resource_score(request, arguments, ScoringStrategy::kRequestedToCapacityRatio);
}

}  // namespace winnow::priorities::removed
