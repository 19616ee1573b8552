// NodePreferAvoidPods: the classic rule of that name, with 100 for 10.
// Upstream: plugins/nodepreferavoidpods/node_prefer_avoid_pods.go v1.22.17.
#include "priorities/rules.h"

namespace winnow::priorities::removed {

BindPriority node_prefer_avoid_pods;

BoundPriority node_prefer_avoid_pods(const Request& request, const Arguments&) {
  return heeds_avoided_pods(request, kMaxNodeScore);
}

}  // namespace winnow::priorities::removed
