// The claim that kube-scheduler makes for the extended resources of a pod that devices provide.
#pragma once

#include <string_view>
#include <vector>

#include "cluster/api/device.h"
#include "cluster/rule/device_requests.h"

namespace winnow {

struct PodSpec;

/// The name of the claim while no API server has it.
inline constexpr std::string_view kExtendedResourceClaim = "<extended-resources>";

/// Whether devices may provide the resource: it is an extended one, or named after a class.
/// Upstream: pkg/scheduler/util IsDRAExtendedResourceName v1.37.2.
bool may_be_provided_by_devices(std::string_view resource);

/// The requests of the claim, one for each container, in order of name. Init containers that end use again
/// what later containers ask for, and beyond that the largest of them counts.
/// @param resources  those that the node does not offer itself, in order of name.
/// Upstream: dynamicresources createRequestsAndMappings v1.37.2.
std::vector<ClaimRequest> extended_resource_requests(const PodSpec& pod,
                                                     const std::vector<ExtendedResourceRequest>& resources);

}  // namespace winnow
