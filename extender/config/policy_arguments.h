// Internal to extender/config: the `argument` of a Policy's predicate or priority. Only .cc files include
// this.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/rule/arguments.h"
#include "cluster/text/json_reader.h"

namespace winnow {

/// Adds a note for each member of the object that is not in `known`. Upstream ignores it, and it may be a
/// typing error.
/// @param error  the object's error string. It is left empty.
void note_unknown_fields(const Reader& object, std::span<const std::string_view> known, std::string& error,
                         std::vector<std::string>& notes);

/// Reads an `argument` object. @return false with the reader's `error` set: for none or two members, a wrong
/// type, or an invalid shape. Upstream: validatePredicateOrDie and validatePriorityOrDie of
/// factory/plugins.go v1.16.15.
bool read_predicate_argument(const Reader& argument, Arguments& target, std::string& error,
                             std::vector<std::string>& notes);
bool read_priority_argument(const Reader& argument, Arguments& target, std::string& error,
                            std::vector<std::string>& notes);

}  // namespace winnow
