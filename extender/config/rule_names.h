// Internal to extender/config: names of rules, and errors about them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/rule/arguments.h"
#include "extender/config/gates.h"

namespace winnow {

/// Whether a Policy may use the name for a rule of the user's own.
/// Upstream: validName of factory/plugins.go v1.16.15.
bool is_valid_rule_name(std::string_view name);

/// The member of a Policy's `argument` that an argument came from; "" for none. The second takes a
/// kArgumentsIndex.
std::string_view argument_name(const Arguments& argument);
std::string_view argument_name(std::size_t index);
/// Whether the entry has an argument.
bool is_given(const Arguments& argument);

/// The list of a Policy that an entry is in.
enum class RuleKind { kPredicate, kPriority };

/// The error for an unknown name, such as `unknown predicate "X" (did you mean "Y"?)`.
std::string unknown_rule(RuleKind kind, std::string_view name);

/// How Winnow departs from v1.16 at these gates if it runs a rule of this name; "" if it does not.
std::string_view departure(std::string_view name, const Gates& gates);

}  // namespace winnow
