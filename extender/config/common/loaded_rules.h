// The result of reading a configuration.
#pragma once

#include <string>
#include <vector>

#include "extender/engine/ruleset.h"

namespace winnow {

/// The rules of one configuration, with what start-up logs about it.
struct LoadedRules {
  std::vector<RuleSet> sets;  ///< One for all pods, or one for each profile. All are of one generation.
  /// Notes for the log, a line each: fields that are not used, plugins that stay in kube-scheduler,
  /// departures from upstream.
  std::vector<std::string> notes;
  /// Warnings, a line each: plugins that do not run in Winnow, or that cannot work as configured.
  std::vector<std::string> warnings;
  std::string text;  ///< The text of the file; "" for the default rules.
};

}  // namespace winnow
