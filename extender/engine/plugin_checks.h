// Which rule makes the check of one of kube-scheduler's filter plugins.
#pragma once

#include <string_view>

#include "extender/engine/ruleset.h"
#include "predicates/today/table.h"

namespace winnow {

/// Whether the rule is that plugin or, of a Policy, a classic predicate that checks the same: see
/// ClassicCheck::lacking for what it leaves out.
bool makes_check(Generation generation, const ConfiguredPredicate& rule,
                 const predicates::today::Row& plugin);

/// The first rule that makes the plugin's check; null if there is none.
const ConfiguredPredicate* find_check(const RuleSet& rules, const predicates::today::Row& plugin);

/// What a gate takes away from a classic predicate that find_check gave, as a predicate of a sentence; "" for
/// nothing.
std::string_view weakness(const RuleSet& rules, const ConfiguredPredicate& rule,
                          const predicates::today::Row& plugin);

/// An eviction can turn the plugin's verdict, and kube-scheduler filters by it with --answer=best: preemption
/// there finds victims by such plugins alone.
bool preempts_in_best(const predicates::today::Row& plugin);

}  // namespace winnow
