// How two configurations differ: rules, weights, arguments, order and settings, with the values of both.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace winnow {

struct RuleSet;

enum class RulesAspect : std::uint8_t {
  kKind,     ///< A Policy and a KubeSchedulerConfiguration: nothing else is compared.
  kProfile,  ///< Only one has the profile.
  kRole,     ///< What the rule does: it filters, it scores, both, or neither.
  kWeight,
  kArgument,  ///< A field of the rule's arguments.
  kOrder,     ///< Of the rules that both have.
  kSetting,   ///< Of the profile as a whole.
};

/// One difference.
struct RulesDifference {
  RulesAspect aspect = RulesAspect::kRole;
  std::string profile;  ///< Its schedulerName; "": each has one profile, or the profile is for all pods.
  std::string rule;     ///< "": it is not of one rule.
  std::string field;    ///< Of kArgument and kSetting: its name.
  std::string a, b;     ///< The values of both; "": that side has none.

  bool operator==(const RulesDifference&) const = default;
};

/// All differences. Two configurations of one fingerprint have none. @param a, b  at least one each, all of
/// one generation.
std::vector<RulesDifference> differences_of(const std::vector<RuleSet>& a, const std::vector<RuleSet>& b);

/// "NodeResourcesFit: strategy is LeastAllocated under A, MostAllocated under B".
std::string to_text(const RulesDifference& difference);
/// "role", "weight"
std::string_view to_string(RulesAspect aspect);

}  // namespace winnow
