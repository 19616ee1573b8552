// Internal to extender/config: the fields of a KubeSchedulerConfiguration, and their types. Only .cc files
// include this.
//
// Upstream: k8s.io/kube-scheduler/config/v1/{types,types_pluginargs}.go v0.37.0, decoded strictly
// (sigs.k8s.io/json UnmarshalStrict). Names are case-sensitive. An unknown field, a field that is there twice
// and a value of a wrong type are errors. Null counts as absent.
#pragma once

#include "cluster/text/json/json_reader.h"
#include "extender/config/scheduler_config/args/field_types.h"

namespace winnow {

/// The type of the whole file. Arguments of plugins are kAnything in it; their ArgsSchema has their type.
const FieldType& scheduler_config_type();
/// Checks a value and all values in it. @return false with the reader's error set.
bool check_fields(const Reader& value, const FieldType& type);

}  // namespace winnow
