// The requests and limits of a pod as kube-scheduler 1.37 counts them: exact quantities by resource.
// Upstream: component-helpers v0.37.0 resource/helpers.go, without the resources of claims (an alpha gate).
#pragma once

#include "cluster/api/pod.h"

namespace winnow {

/// The options of pod_request_list(). Upstream: PodResourcesOptions.
struct RequestOptions {
  /// Whether the status of an in-place resize counts (UseStatusResources,
  /// InPlacePodLevelResourcesVerticalScalingEnabled).
  bool with_status = false;
  /// Whether pod-level requests count (not SkipPodLevelResources).
  bool with_pod_level = true;
  /// The request of a container for a resource that it does not name (NonMissingContainerRequests).
  ResourceList defaults;
};

/// The requests of a pod. By resource this is the larger of two amounts. The first is the sum of the
/// containers and sidecars. The second is the largest init container, with the sidecars before it. Pod-level
/// requests replace that amount, and overhead is added.
ResourceList pod_request_list(const Pod& pod, const RequestOptions& options);

/// What the containers of a pod request by their specs: the part of pod_request_list() without pod-level
/// requests and overhead. Upstream: AggregateContainerRequests without options.
ResourceList container_request_list(const Pod& pod);
/// The same of limits. Upstream: AggregateContainerLimits without options.
ResourceList container_limit_list(const Pod& pod);

/// The limits of a pod, counted like its requests. Overhead is added only to a resource with a limit.
ResourceList pod_limit_list(const Pod& pod);

/// Whether the pod has a pod-level request for cpu, memory or huge pages.
bool has_pod_level_requests(const Pod& pod);

/// The default requests for scoring, kDefaultMilliCpu and kDefaultMemory.
ResourceList default_requests();

}  // namespace winnow
