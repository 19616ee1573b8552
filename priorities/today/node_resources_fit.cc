// NodeResourcesFit as a score: the share of the node's resources that would be used, or stay free, if the pod
// ran there, by one of three strategies (scores_use()). A resource that the node does not have is left out,
// and so is a scalar one that the pod does not request.
// The pod's own pod-level requests do not count, although those of running pods do: upstream's scorer is
// never told of that feature. No pod is skipped.
// Upstream: pkg/scheduler/framework/plugins/noderesources/fit.go, resource_allocation.go v1.37.0.
#include "cluster/rule/arguments.h"
#include "cluster/state/requests/request_list.h"
#include "priorities/resource_use.h"

namespace winnow::priorities::today {

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

}  // namespace winnow::priorities::today
