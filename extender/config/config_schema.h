// Internal to extender/config: the check of fields and their types, and v1.18's leniency. Only .cc
// files include this.
//
// Upstream decodes strictly (sigs.k8s.io/json UnmarshalStrict). Names are case-sensitive. An unknown field, a
// field that is there twice and a value of a wrong type are errors. Null counts as absent.
#pragma once

#include <string>
#include <vector>

#include "cluster/text/json_document.h"

namespace winnow {

class Reader;
struct FieldType;

/// Checks a value and all values in it. @return false with the reader's error set.
bool check_fields(const Reader& value, const FieldType& type);

// Internal to extender/config: the leniency of v1.18, which took no notice of unknown fields. Only .cc files
// include this.

enum class FieldNames : bool { kExact, kAnyCase };

/// Leaves in `value` what a lenient decoder would have used: no unknown fields, of equal ones the last, and
/// the names as the type has them.
/// @param path  of `value`, for the paths below it.
/// @param names  kAnyCase: a field of another case counts, as for Go's own decoder.
/// @return the paths of what was not used, without doubles.
std::vector<std::string> drop_unused(rapidjson::Value& value, rapidjson::Document::AllocatorType& memory,
                                     const FieldType& type, FieldNames names, const std::string& path);

}  // namespace winnow
