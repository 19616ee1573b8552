// What a pod asks for, as v1.16 counts it: in integers, container by container.
#pragma once

#include "cluster/api/pod.h"
#include "cluster/state/requests/request_amounts.h"

namespace winnow {

/// Upstream: pkg/scheduler/nodeinfo/node_info.go calculateResource v1.16.15.
/// @param overhead  the gate PodOverhead is on.
/// @param runs  of a pod that is placed, scoring takes the overhead's cpu in whole units (upstream:
///   priorities/resource_allocation.go calculatePodResourceRequest).
PodRequests v116_requests(const Pod& pod, bool overhead, bool runs);

/// Upstream: priorities/resource_limits.go getResourceLimits v1.16.15.
PodLimits v116_limits(const Pod& pod);

}  // namespace winnow
