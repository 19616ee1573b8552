// Internal to extender/config: checks the fields of a KubeSchedulerConfiguration and their types. Only .cc
// files include this.
//
// Upstream decodes strictly (sigs.k8s.io/json UnmarshalStrict). Names are case-sensitive. An unknown field, a
// field that is there twice and a value of a wrong type are errors. Null counts as absent.
#pragma once

#include "cluster/text/json/json_reader.h"
#include "extender/config/scheduler_config/args/field_types.h"

namespace winnow {

/// Checks a value and all values in it. @return false with the reader's error set.
bool check_fields(const Reader& value, const FieldType& type);

}  // namespace winnow
