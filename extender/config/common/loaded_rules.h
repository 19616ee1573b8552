// What reading a configuration gives.
#pragma once

#include <string>
#include <vector>

#include "extender/engine/ruleset.h"

namespace winnow {

struct LoadedRules {
  std::vector<RuleSet> sets;  ///< One for all pods, or one for each profile; all of one generation.
  /// What start-up logs, a line each: what the file has and is not used, what stays with kube-scheduler,
  /// where this departs from upstream.
  std::vector<std::string> notes;
  /// The same, of a profile's plugins that are not run here, or cannot work as they are configured.
  std::vector<std::string> warnings;
  std::string text;  ///< The file's; "" for rules that no file asks for.
};

}  // namespace winnow
