// What an API server does to a pod before anything else sees it: defaults, preparation and validation.
#pragma once

#include <vector>

#include "cluster/api/pod.h"
#include "cluster/validation/field_errors.h"

namespace winnow {

/// For pods of files, and of requests that no kube-scheduler has sent. Sets the defaults. A pod without a UID
/// is new to any API server: it is also prepared as a new pod is. @return the fields that the API server
/// would refuse.
std::vector<FieldError> admit(Pod& pod);

}  // namespace winnow
