// Which rules are in force: what GET /rules answers, and what two Winnows are compared by.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "extender/engine/ruleset.h"

namespace winnow {

struct RulesProfile {
  std::string scheduler_name;  ///< The pods that it is for; "": all.
  std::vector<std::string> predicates;
  std::vector<std::pair<std::string, std::int64_t>> priorities;  ///< With their weights.

  bool operator==(const RulesProfile&) const = default;
};

struct RulesSummary {
  std::string kind;  ///< Of the file that such rules come from: "Policy", "KubeSchedulerConfiguration".
  std::string fingerprint;  ///< Equal where all is equal, arguments too: see fingerprint_of().
  std::vector<RulesProfile> profiles;

  bool operator==(const RulesSummary&) const = default;
};

/// @param sets  of one generation, at least one.
RulesSummary summarize(const std::vector<const RuleSet*>& sets);

/// Sixteen hexadecimal digits that stand for the rules: names, weights, order, arguments and settings. How
/// the file was written does not matter. Two versions of Winnow may differ in it.
std::string fingerprint_of(const std::vector<const RuleSet*>& sets);

/// {"kind":…,"fingerprint":…,"profiles":[{"schedulerName":…,"predicates":[NAME,…],
/// "priorities":[{"name":…,"weight":…},…]},…]} on one line, without a newline. `schedulerName` is left out
/// where a profile is for all pods.
void append_json(std::string& out, const RulesSummary& summary);

/// Reads what append_json() has written; what it does not know is skipped. Nothing where that is something
/// else.
std::optional<RulesSummary> read_rules_summary(const std::string& json);

}  // namespace winnow
