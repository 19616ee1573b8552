// Internal to extender/config: from a Policy's entries to configured rules.
//
// Upstream: factory/plugins.go RegisterCustomFitPredicate, RegisterCustomPriorityFunction v1.16.15. Of two
// entries with one name the last counts, except that one without an argument keeps the function that the name
// has by then.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "extender/config/common/gates.h"
#include "extender/config/policy/policy_file.h"
#include "extender/engine/ruleset.h"

namespace winnow {

using Notes = std::vector<std::string>;

/// @return the predicates in order of evaluation, the mandatory ones among them; or `predicates[2].name: …`.
std::expected<std::vector<ConfiguredPredicate>, std::string> make_predicates(
    std::vector<PolicyPredicate> entries, const Gates& gates, Notes& notes);
/// @return the priorities by name; or `priorities[2].weight: …`.
std::expected<std::vector<ConfiguredPriority>, std::string> make_priorities(
    std::vector<PolicyPriority> entries, const Gates& gates, Notes& notes);

/// The default provider's, as the gates make it. Upstream: algorithmprovider/defaults/defaults.go v1.16.15.
std::vector<ConfiguredPredicate> default_predicates(const Gates& gates);
std::vector<ConfiguredPriority> default_priorities(const Gates& gates);

}  // namespace winnow
