// Internal to extender/config: the fields of a KubeSchedulerConfiguration in each version. Only .cc files
// include this.
//
// Upstream: k8s.io/kube-scheduler/config: v1/types.go v0.37.0, v1beta3/types.go v0.28.15, v1beta2/types.go
// v0.27.16, v1beta1/types.go v0.22.17, v1alpha2/types.go, v1alpha1/types.go and v1/types.go (extenders)
// v0.18.19; k8s.io/component-base/config/v1alpha1/types.go of the same.
#pragma once

#include "extender/config/scheduler_config/args/field_types.h"

namespace winnow {

/// The type of the whole file. Arguments of plugins are kAnything in it; their ArgsSchema has their type.
extern const FieldType kConfigV1, kConfigV1Beta3, kConfigV1Beta2, kConfigV1Beta1, kConfigV1Alpha2,
    kConfigV1Alpha1;

}  // namespace winnow
