#include "extender/engine/ruleset.h"

#include <algorithm>

#include "predicates/records.h"
#include "predicates/rules.h"

namespace winnow {
namespace {

/// A rule that an argument makes may have any name: what it does is known by its function.
bool runs(const ConfiguredPredicate& rule, std::string_view classic) {
  const predicates::Record* const row = predicates::find_classic(classic);
  return row != nullptr && row->bind == rule.bind;
}

}  // namespace

bool makes_check(Generation generation, const ConfiguredPredicate& rule, const predicates::Record& plugin) {
  if (generation == Generation::kToday) return rule.name == plugin.name;
  return runs(rule, plugin.classic.predicate) || runs(rule, plugin.classic.also);
}

const ConfiguredPredicate* find_check(const RuleSet& rules, const predicates::Record& plugin) {
  const auto found = std::ranges::find_if(rules.predicates, [&](const ConfiguredPredicate& rule) {
    return makes_check(rules.generation, rule, plugin);
  });
  return found == rules.predicates.end() ? nullptr : &*found;
}

std::string_view weakness(const RuleSet& rules, const ConfiguredPredicate& rule,
                          const predicates::Record& plugin) {
  const auto* const limits = rule.arguments.get_if<AttachLimits>();
  if (limits != nullptr && !limits->by_node) return "limits nothing at AttachVolumeLimit=false";
  if (plugin.name == "VolumeZone" && rules.exact_zones)
    return "reads the beta labels alone at ExactV116=true";
  if (plugin.name == "NodeResourcesFit" && rules.accounting != Accounting::kToday)
    return "counts requests as v1.16 does at ExactV116=true";
  return {};
}

bool is_made_by(const std::vector<std::string>& plugins, Generation generation,
                const ConfiguredPredicate& rule) {
  bool any = false;
  for (const predicates::Record& plugin : predicates::plugins()) {
    if (!makes_check(generation, rule, plugin) || plugin.turned_by_eviction == nullptr) continue;
    if (!std::ranges::contains(plugins, plugin.name)) return false;
    any = true;
  }
  return any;
}

bool preempts_in_best(const predicates::Record& plugin) {
  return plugin.turned_by_eviction != nullptr && !plugin.is_own() &&
         plugin.best == predicates::Best::kKubeScheduler;
}

}  // namespace winnow
