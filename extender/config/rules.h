// The rules that a configuration file asks for, or none asks for.
//
// extender/config has two generations of files, told apart by kind and apiVersion (rules.cc):
//
//   policy*.*             a classic Policy: see policy.h
//   scheduler_config*.*   a KubeSchedulerConfiguration: see scheduler_config.h
//   plugin_*.*            what is enabled in its profiles, and with which arguments
//   missing_rules.*       what kube-scheduler leaves to Winnow, and the rules do not check
//   rules_*.*             the rules in force, as far as others are told of them
//   gates.*               --feature-gates
//   near_names.*          "did you mean …?"
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
  /// What start-up logs, a line each: what the file has and is not used, what stays with kube-scheduler,
  /// where this departs from upstream.
  std::vector<std::string> notes;
  /// The same, of a profile's plugins that are not run here, or cannot work as they are configured.
  std::vector<std::string> warnings;
  std::string text;  ///< The file's; "" for rules that no file asks for.
};

/// Reads a Policy or a KubeSchedulerConfiguration, JSON or YAML.
/// @param file_name for the error only, which is one line: FILE: line 3, column 7: …, or FILE: JSON.path[2]:
/// …
std::expected<LoadedRules, std::string> load_rules(std::string_view file_name, std::string_view text,
                                                   const Gates& gates);

/// The rules without a configuration file: the classic default provider's.
LoadedRules default_rules(const Gates& gates);

}  // namespace winnow
