// The checks that kube-scheduler leaves to Winnow and that Winnow's rules do not make.
//
// The rows of predicates/today/table.cc say what a plugin checks, which classic predicate makes the same
// check, and which part of it that predicate lacks.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "extender/config/rules.h"

namespace winnow {

/// A check, or a part of one, that no rule makes.
struct MissingRule {
  std::string_view plugin;  ///< The plugin of kube-scheduler that makes the check.
  std::string_view what;    ///< The subject of the check.
  std::string why;          ///< Why the rules do not make it.

  /// `no rule for WHAT (kube-scheduler's PLUGIN): WHY`.
  std::string text() const;
};

/// The filter plugins that manifests/kube-scheduler-best.yaml disables in kube-scheduler, in the table's
/// order.
std::vector<std::string_view> left_to_winnow_by_best();

/// The checks of these plugins that the rules do not make in full, in the table's order. A rule that refuses
/// more than the plugin covers it. Names without a row in predicates/today/table.cc are skipped.
std::vector<MissingRule> missing_rules(const RuleSet& rules, std::span<const std::string_view> plugins);

/// The missing checks of all profiles of a configuration, for left_to_winnow_by_best().
std::vector<MissingRule> missing_for_best(const LoadedRules& loaded);

}  // namespace winnow
