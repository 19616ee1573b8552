// Internal to extender/config: which fields a KubeSchedulerConfiguration has, and of which types. Only .cc
// files include this.
//
// Upstream: k8s.io/kube-scheduler/config/v1/{types,types_pluginargs}.go v0.37.0, decoded strictly
// (sigs.k8s.io/json UnmarshalStrict): names count with their case, and a field that is unknown or there twice
// is an error, as is a value of a wrong type. Null is absent.
#pragma once

#include "cluster/text/json_reader.h"
#include "extender/config/scheduler_config/field_types.h"

namespace winnow {

/// Of the whole file. Arguments of plugins are looked into by their ArgsSchema.
const FieldType& scheduler_config_type();
/// Checks a value and all in it. @return false with the reader's error set.
bool check_fields(const Reader& value, const FieldType& type);

}  // namespace winnow
