// The names of a rule set's rules, for what outlives the rule set.
#pragma once

#include <string>
#include <vector>

namespace winnow {

/// The names as the configuration spells them, in the order of the rule set. Immutable, and shared by all
/// that was decided by these rules: a reload does not end it.
struct RuleNames {
  std::vector<std::string> predicates;
  std::vector<std::string> priorities;
};

}  // namespace winnow
