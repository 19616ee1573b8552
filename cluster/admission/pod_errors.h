// What an API server does to a pod before anything else sees it: defaults, preparation and validation.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cluster/admission/field_errors.h"

namespace winnow {

class Reader;
struct Pod;

/// For pods of files, and of requests that no kube-scheduler has sent. Sets the defaults. A pod without a UID
/// is new to any API server: it is also prepared as a new pod is. @return the fields that the API server
/// would refuse.
std::vector<FieldError> admit(Pod& pod);

// The fields of a pod that the API server would refuse.
//
// pod_errors() checks the fields that a struct of cluster/api holds, with these exceptions: annotations,
// ephemeral containers, the sources of volumes but claims, and values that are empty where the field may be
// missing
// ("restartPolicy": ""). Upstream: pkg/apis/core/validation/validation.go ValidatePodCreate v1.37.0, with the
// default feature gates.

/// Whether an API server has stored the pod, as far as it is known. Some fields may only be set later.
enum class Stored : std::uint8_t { kNo, kYes };

/// The errors, in upstream's order of fields, at most FieldErrors::kMost. A pod without the defaults
/// (cluster/admission) has errors that the API server would not see.
std::vector<FieldError> pod_errors(const Pod& pod, Stored stored);

/// The errors of what no struct holds, in upstream's order of fields: how many sources a volume has, and what
/// common ones lack; mounts; environments; probes and handlers. Elements and fields of a wrong type are
/// skipped: the API server does not get as far.
/// @param pod  the JSON of a Pod, or of a template, which has a spec as well. Paths begin with "spec".
/// @param more_volumes  those that the pod gets besides: of a StatefulSet's claims.
std::vector<FieldError> written_errors(const Reader& pod, std::span<const std::string> more_volumes = {});

}  // namespace winnow
