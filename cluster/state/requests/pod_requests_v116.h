// The requests and limits of a pod as v1.16 counts them: in integers, container by container.
#pragma once

#include "cluster/api/pod.h"
#include "cluster/state/requests/request_amounts.h"

namespace winnow {

/// The requests of a pod. Upstream: pkg/scheduler/nodeinfo/node_info.go calculateResource v1.16.15.
/// @param overhead  the feature gate PodOverhead is on.
/// @param runs  true for a pod that counts on a node. For the pod to be placed, scoring takes the overhead's
///   cpu in whole units (upstream: priorities/resource_allocation.go calculatePodResourceRequest).
PodRequests v116_requests(const Pod& pod, bool overhead, bool runs);

/// The limits of a pod. Upstream: priorities/resource_limits.go getResourceLimits v1.16.15.
PodLimits v116_limits(const Pod& pod);

}  // namespace winnow
