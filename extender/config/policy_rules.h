// Internal to extender/config: configured rules from a Policy's entries.
//
// Of two entries with one name the last counts. But an entry without an argument keeps the function that the
// name has by then. Upstream: RegisterCustomFitPredicate and RegisterCustomPriorityFunction of
// factory/plugins.go v1.16.15.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "extender/config/policy_file.h"
#include "extender/engine/ruleset.h"

namespace winnow {

struct Gates;

using Notes = std::vector<std::string>;

/// @return the predicates with the mandatory ones, in order of evaluation; or the error `predicates[2].name:
///   …`.
std::expected<std::vector<ConfiguredPredicate>, std::string> make_predicates(
    std::vector<PolicyPredicate> entries, const Gates& gates, Notes& notes);
/// @return the priorities, sorted by name; or the error `priorities[2].weight: …`.
std::expected<std::vector<ConfiguredPriority>, std::string> make_priorities(
    std::vector<PolicyPriority> entries, const Gates& gates, Notes& notes);

/// The default provider's rules, as the gates make them.
/// Upstream: algorithmprovider/defaults/defaults.go v1.16.15.
std::vector<ConfiguredPredicate> default_predicates(const Gates& gates);
std::vector<ConfiguredPriority> default_priorities(const Gates& gates);

}  // namespace winnow
