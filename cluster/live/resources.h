// Where the API has each kind of object.
#pragma once

#include "cluster/api/kinds.h"
#include "cluster/watch/reflector.h"

namespace winnow::live {

/// What to list and watch for a kind. Of pods those that have Succeeded or Failed are left out, as
/// kube-scheduler does (pkg/scheduler/scheduler.go newPodInformer v1.37.0).
Resource resource_of(ResourceKind kind);

}  // namespace winnow::live
