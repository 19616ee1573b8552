// LimitRanges, applied to a pod or a claim.
// Upstream: plugin/pkg/admission/limitranger/admission.go v1.37.0.
#pragma once

#include <string>

#include "cluster/api/admission.h"
#include "cluster/api/storage.h"

namespace winnow {

/// Gives containers and init containers the default limits and requests that they lack. The annotation that
/// upstream sets is left out: no rule reads it. Upstream: PodMutateLimitFunc.
void set_default_resources(const LimitRange& range, Pod& pod);

/// What the range forbids, in upstream's words: "maximum cpu usage per Container is 2, but limit is 4". Of
/// several errors "[A, B]", in the order of resource names, where upstream's order is chance. "": nothing.
/// Upstream: PodValidateLimitFunc.
std::string limit_errors(const LimitRange& range, const Pod& pod);
/// The same of a claim. Upstream: PersistentVolumeClaimValidateLimitFunc.
std::string limit_errors(const LimitRange& range, const PersistentVolumeClaim& claim);

}  // namespace winnow
