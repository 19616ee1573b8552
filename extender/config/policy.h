// The rules of a classic Policy file, or of the default provider.
//
//   policy.*            from a Policy to a RuleSet: rules, their order, and the start-up notes
//   policy_file.*       from text to a Policy: fields and their types
//   policy_arguments.*  the `argument` of an entry
//   policy_rules.h, policy_predicates.cc, policy_priorities.cc  from entries to configured rules
//   rule_names.*        names of rules, and errors about them
//
// Winnow accepts and refuses the same files as upstream, with more detailed errors. If the outcome differs, a
// note says so. Upstream: pkg/scheduler/{factory/{factory,plugins}.go, api/validation,
// algorithmprovider/defaults} v1.16.15.
#pragma once

#include <expected>
#include <string>

#include "extender/config/extenders.h"

namespace winnow {

class ConfigDocument;
struct Gates;

/// Reads a Policy, and what follows it in its file. @return the rules, or one line that says what is wrong.
///
/// Absent or null `predicates` or `priorities` are the default provider's. An empty list of predicates still
/// gets the mandatory ones. Predicates are in upstream's order of evaluation; one under a name of the user's
/// own takes the position of its kind. Priorities are sorted by name, as upstream evaluates them.
std::expected<LoadedRules, std::string> load_policy(ConfigDocument& document, const Gates& gates);

/// The default provider's rules, as the gates make them.
LoadedRules default_policy(const Gates& gates);

}  // namespace winnow
