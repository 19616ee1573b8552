// The rules that a configuration file asks for, or none asks for.
//
// extender/config has two generations of files, told apart by kind and apiVersion (rules.cc):
//
//   policy/               a classic Policy: see policy.h
//   scheduler_config/     a KubeSchedulerConfiguration: see scheduler_config.h
//   common/               --feature-gates, and what both readers share
//   missing_rules.*       what kube-scheduler leaves to Winnow, and the rules do not check
//   needed.*              what of the cluster the rules read
//   rules_*.*             the rules in force, as far as others are told of them
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "extender/config/common/gates.h"
#include "extender/config/common/loaded_rules.h"

namespace winnow {

/// Reads a Policy or a KubeSchedulerConfiguration, JSON or YAML.
/// @param file_name for the error only, which is one line: FILE: line 3, column 7: …, or FILE: JSON.path[2]:
/// …
std::expected<LoadedRules, std::string> load_rules(std::string_view file_name, std::string_view text,
                                                   const Gates& gates);

/// The rules without a configuration file: the classic default provider's.
LoadedRules default_rules(const Gates& gates);

}  // namespace winnow
