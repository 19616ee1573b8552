// What nobody checks: a check that kube-scheduler leaves to Winnow, and that the rules do not make.
//
// The rows of predicates/today/table.cc say what a plugin checks, which classic predicate checks the same,
// and what that predicate does not know.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "extender/config/rules.h"

namespace winnow {

struct MissingRule {
  std::string_view plugin;  ///< kube-scheduler's, that would make the check.
  std::string_view what;    ///< What is not checked.
  std::string why;          ///< What about the rules is the reason.

  /// `no rule for WHAT (kube-scheduler's PLUGIN): WHY`.
  std::string text() const;
};

/// The filter plugins that manifests/kube-scheduler-best.yaml switches off in kube-scheduler, in the table's
/// order.
std::vector<std::string_view> left_to_winnow_by_best();

/// What of these plugins' checks the rules do not make to the full, in the table's order.
/// A rule that refuses more than the plugin does covers it. A plugin that Winnow does not run is passed over.
std::vector<MissingRule> missing_rules(const RuleSet& rules, std::span<const std::string_view> plugins);

/// The same for all profiles of a configuration, and for what the shipped file leaves to Winnow.
std::vector<MissingRule> missing_for_best(const LoadedRules& loaded);

}  // namespace winnow
