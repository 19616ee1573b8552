#include "extender/config/needed.h"

#include <algorithm>

#include "predicates/table.h"
#include "predicates/today/table.h"
#include "priorities/table.h"
#include "priorities/today/table.h"

namespace winnow {
namespace {

/// The needs of the row that a rule was made from. A rule that only returns an error has no row, and needs
/// nothing.
template <class Row, class Bind>
Needs needs_of(std::span<const Row> rows, Bind* bind) {
  const auto row = std::ranges::find(rows, bind, &Row::bind);
  if (row == rows.end()) return {};
  return row->needs;
}

template <class Today, class Classic, class Rule>
Needs needs_of(Today today, Classic classic, const Rule& rule) {
  const auto* const spread = std::get_if<PodTopologySpreadArgs>(&rule.arguments);
  // Only the default constraints read a pod's services and controllers.
  if (spread && spread->default_constraints.empty() && !spread->system_defaulted) return {};
  return needs_of(today, rule.bind) | needs_of(classic, rule.bind);
}

}  // namespace

Needs needed(const RuleSet& rules) {
  Needs all = kind_of<Node> | kind_of<Pod> | kind_of<PodDisruptionBudget>;
  if (rules.generation == Generation::kClassic) all |= needs::kClaims;
  for (const ConfiguredPredicate& rule : rules.predicates)
    all |= needs_of(predicates::today::plugins(), predicates::classic(), rule);
  for (const ConfiguredPriority& rule : rules.priorities)
    all |= needs_of(priorities::today::plugins(), priorities::classic(), rule);
  return all;
}

State::Options state_options(const LoadedRules& rules) {
  const RuleSet& first = rules.sets.front();
  return {first.accounting, first.exact_zones, first.generation};
}

Needs needed(const std::vector<RuleSet>& sets) {
  Needs all;
  for (const RuleSet& rules : sets) all |= needed(rules);
  return all;
}

}  // namespace winnow
