// The rules that a classic Policy file asks for, or none asks for.
//
//   policy.*       from a Policy to a RuleSet: which rules, in which order, and what start-up says about it
//   policy_file.*  from text to a Policy: fields and their types
//   gates.*        --feature-gates
//   near_names.*   "did you mean …?"
//
// Upstream: pkg/scheduler/{factory/{factory,plugins}.go, api/validation, algorithmprovider/defaults}
// v1.16.15. What it refuses is refused, with a better reason; what it accepts is accepted. Where the outcome
// differs, a note says so.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "extender/config/gates.h"
#include "extender/engine/ruleset.h"

namespace winnow {

struct LoadedRules {
  std::vector<RuleSet> sets;  ///< One for all pods, or one for each profile; all of one generation.
  /// What start-up logs, a line each: fields that are no fields, what is not used, where this departs from
  /// v1.16.
  std::vector<std::string> notes;
};

/// Reads a Policy, JSON or YAML.
///
/// Absent (or null) `predicates` or `priorities` are the default provider's; an empty list is none, except
/// the two mandatory predicates. Predicates stand in the table's order, one under a name of the user's own
/// where its kind stands; priorities stand in order of their names, as upstream evaluates them.
/// @param file_name for the error only, which is one line: FILE: line 3, column 7: …, or FILE: JSON.path[2]:
/// …
std::expected<LoadedRules, std::string> load_rules(std::string_view file_name, std::string_view text,
                                                   const Gates& gates);

/// The rules without a configuration file: the default provider's.
LoadedRules default_rules(const Gates& gates);

}  // namespace winnow
