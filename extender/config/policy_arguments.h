// Internal to extender/config: the `argument` of a Policy's predicate or priority. Only .cc files include
// this.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/rule/args_schema.h"
#include "cluster/rule/arguments.h"

namespace winnow {

/// The list of a Policy that an entry is in.
enum class RuleKind { kPredicate, kPriority };

/// The `argument` of an entry.
struct PolicyEntryArgument {
  std::string_view name;  ///< The member of it that is given, of the rule's record; "": none.
  Arguments value;
};

/// Adds a note for each member of the object that is not in `known`. Upstream ignores it, and it may be a
/// typing error.
/// @param error  the object's error string. It is left empty.
void note_unknown_fields(const Reader& object, std::span<const std::string_view> known, std::string& error,
                         std::vector<std::string>& notes);

/// The members of an `argument`, of predicates and of priorities, with their types.
std::vector<Field> policy_argument_fields();
/// The members for rules of this kind, as a text: "labelsPresence or serviceAffinity".
std::string policy_argument_names(RuleKind kind);

/// Reads an `argument` object: the one member that a record of the rules of this kind names. @return false
/// with the reader's `error` set: for none or two members, a wrong type, or an invalid shape. Upstream:
/// validatePredicateOrDie and validatePriorityOrDie of factory/plugins.go v1.16.15.
bool read_argument(const Reader& argument, RuleKind kind, PolicyEntryArgument& target, std::string& error,
                   std::vector<std::string>& notes);

}  // namespace winnow
