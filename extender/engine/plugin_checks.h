// The rule that makes the check of a filter plugin of kube-scheduler.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "extender/engine/ruleset.h"
#include "predicates/today/table.h"

namespace winnow {

/// Whether the rule is that plugin or, in a Policy, a classic predicate that makes the same check. For the
/// parts that such a predicate lacks see ClassicCheck::lacking.
bool makes_check(Generation generation, const ConfiguredPredicate& rule,
                 const predicates::today::Row& plugin);

/// The first rule that makes the plugin's check; null if there is none.
const ConfiguredPredicate* find_check(const RuleSet& rules, const predicates::today::Row& plugin);

/// The part of the check that a gate removes from a rule of find_check(), as the predicate of a sentence; "":
/// none.
std::string_view weakness(const RuleSet& rules, const ConfiguredPredicate& rule,
                          const predicates::today::Row& plugin);

/// Whether kube-scheduler makes the rule's check of other pods, by these filter plugins. A classic predicate
/// may make the checks of several: each that other pods can turn must be there.
bool is_made_by(const std::vector<std::string>& plugins, Generation generation,
                const ConfiguredPredicate& rule);

/// Whether an eviction can turn the plugin's verdict, and kube-scheduler runs the plugin with --answer=best.
/// Preemption finds victims by such plugins only.
bool preempts_in_best(const predicates::today::Row& plugin);

}  // namespace winnow
