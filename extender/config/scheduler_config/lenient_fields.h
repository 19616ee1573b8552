// Internal to extender/config: the leniency of v1.18, which took no notice of unknown fields. Only .cc files
// include this.
#pragma once

#include <string>
#include <vector>

#include "cluster/text/json/document.h"
#include "extender/config/scheduler_config/args/field_types.h"

namespace winnow {

enum class FieldNames : bool { kExact, kAnyCase };

/// Leaves in `value` what a lenient decoder would have used: no unknown fields, of equal ones the last, and
/// the names as the type has them.
/// @param path  of `value`, for the paths below it.
/// @param names  kAnyCase: a field of another case counts, as for Go's own decoder.
/// @return the paths of what was not used, without doubles.
std::vector<std::string> drop_unused(rapidjson::Value& value, rapidjson::Document::AllocatorType& memory,
                                     const FieldType& type, FieldNames names, const std::string& path);

}  // namespace winnow
