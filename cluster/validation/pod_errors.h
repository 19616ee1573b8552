// The fields of a pod that the API server would refuse.
//
// Fields are checked that a struct of cluster/api holds, with these exceptions: annotations, ephemeral
// containers, the sources of volumes but claims, and values that are empty where the field may be missing
// ("restartPolicy": ""). Upstream: pkg/apis/core/validation/validation.go ValidatePodCreate v1.37.0, with the
// default feature gates.
#pragma once

#include <cstdint>
#include <vector>

#include "cluster/api/pod.h"
#include "cluster/validation/field_errors.h"

namespace winnow {

/// Whether an API server has stored the pod, as far as it is known. Some fields may only be set later.
enum class Stored : std::uint8_t { kNo, kYes };

/// The errors, in upstream's order of fields, at most FieldErrors::kMost. A pod without the defaults
/// (cluster/defaults) has errors that the API server would not see.
std::vector<FieldError> pod_errors(const Pod& pod, Stored stored);

}  // namespace winnow
