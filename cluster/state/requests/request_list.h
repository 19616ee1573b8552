// What a pod asks for, as today's Kubernetes adds it up: exact amounts, resource by resource.
// Upstream: component-helpers v0.37.0 resource/helpers.go, without what claims add (an alpha gate).
#pragma once

#include "cluster/api/pod.h"

namespace winnow {

/// Upstream: PodResourcesOptions.
struct RequestOptions {
  /// What the status says of a resize in place counts (UseStatusResources,
  /// InPlacePodLevelResourcesVerticalScalingEnabled).
  bool with_status = false;
  /// So do the requests of the pod as a whole (not SkipPodLevelResources).
  bool with_pod_level = true;
  /// What a container counts for a resource that it does not name (NonMissingContainerRequests).
  ResourceList defaults;
};

/// max(containers + sidecars, for each init container: itself + the sidecars before it), over it what the pod
/// asks for as a whole, and overhead on top.
ResourceList pod_request_list(const Pod& pod, const RequestOptions& options);

/// The same of limits. Overhead only where there is a limit.
ResourceList pod_limit_list(const Pod& pod);

/// Whether the pod as a whole asks for anything that can be asked for so: cpu, memory, huge pages.
bool has_pod_level_requests(const Pod& pod);

/// What a container that names no cpu (memory) counts when scored.
ResourceList default_requests();

}  // namespace winnow
