// NodeResourcesLeastAllocated: prefers nodes whose resources stay free.
// Upstream: plugins/noderesources/least_allocated.go v1.22.17.
#include "priorities/removed/resource_scores.h"

namespace winnow::priorities::removed {

BindPriority node_resources_least_allocated;

BoundPriority node_resources_least_allocated(const Request& request, const Arguments& arguments) {
  return resource_score(request, arguments, ScoringStrategy::kLeastAllocated);
}

}  // namespace winnow::priorities::removed
