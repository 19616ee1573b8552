// Internal to extender/config: names of rules, and errors about them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "extender/config/policy_arguments.h"

namespace winnow {

struct Gates;

/// Whether a Policy may use the name for a rule of the user's own.
/// Upstream: validName of factory/plugins.go v1.16.15.
bool is_valid_rule_name(std::string_view name);

/// The error for an unknown name, such as `unknown predicate "X" (did you mean "Y"?)`.
std::string unknown_rule(RuleKind kind, std::string_view name);

/// Whether the name is that of a classic rule, or an older one, which v1.16 does not have at these gates.
bool is_refused_by_v1_16(std::string_view name, const Gates& gates);

/// How Winnow departs from v1.16 at these gates if it runs a rule of this name; "" if it does not.
std::string departure(std::string_view name, const Gates& gates);

}  // namespace winnow
