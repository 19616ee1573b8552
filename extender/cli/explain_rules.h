// By which rules explain answers, and whether a Winnow that runs has others.
#pragma once

#include <expected>
#include <string>

#include "extender/config/rules.h"
#include "extender/config/rules_summary.h"

namespace winnow {

/// "v1.16's default provider (no --config given)", or "rules.yaml (KubeSchedulerConfiguration, profiles a,
/// b)".
std::string describe_rules(const std::string& config, const LoadedRules& rules);

RulesSummary summarize(const LoadedRules& rules);

/// What is wrong with --server, in one line; "": nothing.
std::string wrong_server(const std::string& url);
/// Asks the Winnow at the URL for its rules, for some seconds at most. @return or why that failed, in one
/// line.
std::expected<RulesSummary, std::string> rules_of_server(const std::string& url);

/// How other rules differ from ours, in one line; "": they do not.
std::string difference(const RulesSummary& ours, const RulesSummary& theirs);

}  // namespace winnow
