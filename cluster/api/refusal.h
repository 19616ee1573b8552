// What a pod's condition says of kube-scheduler's attempts.
#pragma once

#include "cluster/api/pod.h"

namespace winnow {

/// Whether kube-scheduler has tried the pod in vain. A pod with scheduling gates has such a condition from
/// its creation on, and keeps it when they are gone: kube-scheduler has not tried it. Upstream:
/// applySchedulingGatedCondition of pkg/registry/core/pod/strategy.go v1.37.0.
inline bool is_refusal(const PodCondition& condition) {
  return condition.type == "PodScheduled" && condition.status == "False" &&
         condition.reason != "SchedulingGated";
}

}  // namespace winnow
