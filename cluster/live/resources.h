// The API paths of the kinds.
#pragma once

#include "cluster/api/kinds.h"
#include "cluster/watch/reflector.h"

namespace winnow::live {

/// The resource to list and watch for a kind. Pods that have Succeeded or Failed are excluded, as by
/// kube-scheduler (pkg/scheduler/scheduler.go newPodInformer v1.37.0).
Resource resource_of(ResourceKind kind);

}  // namespace winnow::live
