// What a pod asks for, counted as upstream counts it.
#pragma once

#include <cstdint>

#include "cluster/api/pod.h"
#include "cluster/state/requests/request_amounts.h"

namespace winnow {

/// Whose arithmetic counts a pod's requests.
enum class Accounting : std::uint8_t {
  kToday,             ///< Today's scheduler: sidecars, overhead, pod-level resources, in-place resize.
  kV116,              ///< v1.16.15 at default gates: containers and init containers, nothing else.
  kV116WithOverhead,  ///< v1.16.15 with the gate PodOverhead.
};

/// Upstream, kToday: pkg/scheduler/framework/types.go CalculateResource v1.37.0 (a pod that runs) and, with
/// `with_status` false, plugins/noderesources/fit.go computePodResourceRequest (the pod that is placed); see
/// request_list.h. Upstream, kV116: see pod_requests_v116.h.
PodRequests pod_requests(const Pod& pod, Accounting accounting, bool with_status);

/// Upstream, kToday: see request_list.h. Upstream, kV116: see pod_requests_v116.h.
PodLimits pod_limits(const Pod& pod, Accounting accounting);

/// Whether the pod's QoS class is BestEffort: nothing asked for, nothing limited.
/// Upstream: pkg/apis/core/v1/helper/qos v1.16.15 (init containers count; zero quantities do not).
/// Under kToday pod-level requests and limits count too.
bool is_best_effort(const Pod& pod, Accounting accounting);

}  // namespace winnow
