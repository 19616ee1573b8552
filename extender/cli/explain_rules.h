// The rules of `winnow explain`, and their comparison with those of a running Winnow.
#pragma once

#include <expected>
#include <string>

#include "extender/config/rules.h"
#include "extender/config/rules_summary.h"

namespace winnow {

/// The rules in words: "v1.16's default provider (no --config given)", or "rules.yaml
/// (KubeSchedulerConfiguration, profiles a, b)".
std::string describe_rules(const std::string& config, const LoadedRules& rules);

RulesSummary summarize(const LoadedRules& rules);

/// The error in the value of --server, in one line; "": none.
std::string wrong_server(const std::string& url);
/// Gets /rules from the Winnow at the URL, for some seconds at most.
/// @return the rules, or why that failed, in one line.
std::expected<RulesSummary, std::string> rules_of_server(const std::string& url);

/// The difference between two summaries, in one line; "": none.
std::string difference(const RulesSummary& ours, const RulesSummary& theirs);

}  // namespace winnow
