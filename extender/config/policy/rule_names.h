// Internal to extender/config: what a rule may be called, and what is said about a wrong name.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/rule/arguments.h"
#include "extender/config/common/gates.h"

namespace winnow {

/// Whether a Policy may give the name to a rule of its own. Upstream: factory/plugins.go validName v1.16.15.
bool is_valid_rule_name(std::string_view name);

/// The member of a Policy's `argument` that it came from; "" for none. By the kArgumentsIndex, too.
std::string_view argument_name(const Arguments& argument);
std::string_view argument_name(std::size_t index);
bool is_given(const Arguments& argument);

/// Which list of a Policy an entry is in.
enum class RuleKind { kPredicate, kPriority };

/// `unknown predicate "X" (did you mean "Y"?)`, or what else may have been meant.
std::string unknown_rule(RuleKind kind, std::string_view name);

/// How running a rule under this name departs from v1.16 at these gates; "" if it does not.
std::string_view departure(std::string_view name, const Gates& gates);

}  // namespace winnow
