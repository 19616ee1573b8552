// The rules of a configuration file, or the default ones.
//
// extender/config reads two generations of files, which kind and apiVersion tell apart (rules.cc):
//
//   policy/               a classic Policy: see policy.h
//   scheduler_config/     a KubeSchedulerConfiguration: see scheduler_config.h
//   common/               --feature-gates, and code that both readers share
//   missing_rules.*       checks that kube-scheduler leaves to Winnow and that the rules do not make
//   needed.*              the kinds of objects that the rules read
//   rules_*.*             a summary and a fingerprint of the rules in force
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "extender/config/common/gates.h"
#include "extender/config/common/loaded_rules.h"

namespace winnow {

/// Reads a Policy or a KubeSchedulerConfiguration, JSON or YAML.
/// @param file_name  for the error only.
/// @return the rules, or one line: `FILE: line 3, column 7: …`, or `FILE: JSON.path[2]: …`.
std::expected<LoadedRules, std::string> load_rules(std::string_view file_name, std::string_view text,
                                                   const Gates& gates);

/// The rules without a configuration file: those of v1.16's default provider.
LoadedRules default_rules(const Gates& gates);

}  // namespace winnow
