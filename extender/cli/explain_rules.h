// The rules of `winnow explain`, and their comparison with those of a running Winnow.
#pragma once

#include <expected>
#include <string>

#include "extender/config/rules_summary.h"

namespace winnow {

struct LoadedRules;
struct ServerFlags;

/// The rules in words: "1.37, default profile", or "rules.yaml
/// (KubeSchedulerConfiguration, profiles a, b)".
std::string describe_rules(const std::string& config, const LoadedRules& rules);

RulesSummary summarize(const LoadedRules& rules);

/// Gets /rules from that Winnow, for some seconds at most. Over http:// no credentials are sent.
/// @return the rules, or why that failed, in one line without secrets.
std::expected<RulesSummary, std::string> rules_of_server(const ServerFlags& flags);

/// The difference between two summaries, in one line; "": none.
std::string difference(const RulesSummary& ours, const RulesSummary& theirs);

}  // namespace winnow
