// NodeResourcesMostAllocated: prefers nodes whose resources are used.
// Upstream: plugins/noderesources/most_allocated.go v1.22.17.
#include "priorities/removed/resource_scores.h"

namespace winnow::priorities::removed {

BindPriority node_resources_most_allocated;

BoundPriority node_resources_most_allocated(const Request& request, const Arguments& arguments) {
  return resource_score(request, arguments, ScoringStrategy::kMostAllocated);
}

}  // namespace winnow::priorities::removed
