// The requests and limits of a pod, counted as upstream counts them.
#pragma once

#include <cstdint>

#include "cluster/api/pod.h"
#include "cluster/state/requests/request_amounts.h"

namespace winnow {

/// The upstream arithmetic that counts a pod's requests.
enum class Accounting : std::uint8_t {
  kToday,             ///< kube-scheduler 1.37: sidecars, overhead, pod-level resources, in-place resize.
  kV116,              ///< v1.16.15 with default feature gates: only containers and init containers.
  kV116WithOverhead,  ///< v1.16.15 with the feature gate PodOverhead.
};

/// The requests of a pod.
/// @param with_status  true for a pod that counts on a node, false for the pod to be placed.
/// Upstream, kToday: pkg/scheduler/framework/types.go CalculateResource v1.37.0; with `with_status` false
/// plugins/noderesources/fit.go computePodResourceRequest. See request_list.h. Upstream, kV116: see
/// pod_requests_v116.h.
PodRequests pod_requests(const Pod& pod, Accounting accounting, bool with_status);

/// The limits of a pod. Upstream, kToday: see request_list.h. Upstream, kV116: see pod_requests_v116.h.
PodLimits pod_limits(const Pod& pod, Accounting accounting);

/// Whether the pod's QoS class is BestEffort: no cpu or memory request or limit above 0. Init containers
/// count; under kToday pod-level requests and limits count too.
/// Upstream: pkg/apis/core/v1/helper/qos v1.16.15.
bool is_best_effort(const Pod& pod, Accounting accounting);

}  // namespace winnow
