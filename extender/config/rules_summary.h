// A summary of the rules in force: the answer of GET /rules, and the basis on which two Winnows are compared.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace winnow {

struct RuleSet;

/// One profile's rules by name.
struct RulesProfile {
  std::string scheduler_name;  ///< Pods with this spec.schedulerName; "": all pods.
  std::vector<std::string> predicates;
  std::vector<std::pair<std::string, std::int64_t>> priorities;  ///< Names and weights.

  bool operator==(const RulesProfile&) const = default;
};

/// The rules of a whole configuration.
struct RulesSummary {
  std::string kind;         ///< "Policy" or "KubeSchedulerConfiguration".
  std::string fingerprint;  ///< Equal if all is equal, arguments too: see fingerprint_of().
  std::vector<RulesProfile> profiles;

  bool operator==(const RulesSummary&) const = default;
};

/// Summarizes the rules. @param sets  at least one, and all of one generation.
RulesSummary summarize(const std::vector<const RuleSet*>& sets);

/// Sixteen hexadecimal digits, computed from the rules: names, weights, order, arguments and settings. The
/// notation of the file does not matter. Two versions of Winnow may give different digits for the same rules.
std::string fingerprint_of(const std::vector<const RuleSet*>& sets);

/// Appends one line of JSON, without a newline:
/// {"kind":…,"fingerprint":…,"profiles":[{"schedulerName":…,"predicates":[NAME,…],
/// "priorities":[{"name":…,"weight":…},…]},…]}
/// `schedulerName` is left out for a profile that is for all pods.
void append_json(std::string& out, const RulesSummary& summary);

/// Reads the JSON that append_json() writes. Unknown members are ignored.
/// @return the summary; nothing if the text is something else.
std::optional<RulesSummary> read_rules_summary(const std::string& json);

}  // namespace winnow
