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

/// Adds a note for each member of the object that is none of `known`: upstream passes over it, and it may be
/// a slip.
/// @param error the object's error string, which is left empty.
void note_unknown_fields(const Reader& object, std::span<const std::string_view> known, std::string& error,
                         std::vector<std::string>& notes);

/// Reads an `argument` object. On an error, such as none or two members, a wrong type or a shape that is
/// none, sets `error`, which is that of the reader, and returns false. Upstream: factory/plugins.go
/// validatePredicateOrDie, validatePriorityOrDie v1.16.15.
bool read_predicate_argument(const Reader& argument, Arguments& target, std::string& error,
                             std::vector<std::string>& notes);
bool read_priority_argument(const Reader& argument, Arguments& target, std::string& error,
                            std::vector<std::string>& notes);

}  // namespace winnow
