// The rules that a classic Policy file asks for, or none asks for.
//
//   policy.*       from a Policy to a RuleSet: which rules, in which order, and what start-up says about it
//   policy_file.*  from text to a Policy: fields and their types
//
// Upstream: pkg/scheduler/{factory/{factory,plugins}.go, api/validation, algorithmprovider/defaults}
// v1.16.15. What it refuses is refused, with a better reason; what it accepts is accepted. Where the outcome
// differs, a note says so.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "extender/config/common/gates.h"
#include "extender/config/common/loaded_rules.h"

namespace winnow {

/// Reads a Policy, JSON or YAML.
///
/// Absent (or null) `predicates` or `priorities` are the default provider's; an empty list is none, except
/// the two mandatory predicates. Predicates stand in the table's order, one under a name of the user's own
/// where its kind stands; priorities stand in order of their names, as upstream evaluates them.
std::expected<LoadedRules, std::string> load_policy(std::string_view text, const Gates& gates);

/// The default provider's rules.
LoadedRules default_policy(const Gates& gates);

}  // namespace winnow
