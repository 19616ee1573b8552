// Internal to extender/config: what does today the work of a rule that a file names by another or older name.
#pragma once

#include <string>
#include <string_view>

#include "extender/config/policy_arguments.h"

namespace winnow {

/// For a name that no plugin has: the plugin that does the work of this rule of a Policy, "NodeResourcesFit
/// with scoringStrategy.type LeastAllocated"; "": it is no rule's.
std::string_view plugin_in_place_of(std::string_view policy_name);
/// For a name that no rule of a Policy has: the rule that does the work of this plugin, or of this older
/// predicate; "": there is none.
std::string_view policy_rule_in_place_of(RuleKind kind, std::string_view name);

}  // namespace winnow
