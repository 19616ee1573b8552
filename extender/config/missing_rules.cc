#include "extender/config/missing_rules.h"

#include <algorithm>
#include <format>
#include <iterator>
#include <optional>

#include "cluster/text/printable.h"
#include "extender/engine/plugin_checks.h"

namespace winnow {
namespace {

using Plugin = predicates::today::Row;

std::optional<MissingRule> judge_classic(const RuleSet& rules, const Plugin& plugin) {
  const predicates::today::ClassicCheck& classic = plugin.classic;
  if (classic.predicate.empty())
    return MissingRule(plugin.name, plugin.checks, "no classic predicate checks that");
  const ConfiguredPredicate* const rule = find_check(rules, plugin);
  if (rule == nullptr)
    return MissingRule(plugin.name, plugin.checks,
                       std::format("the predicate {} is not among the rules", classic.predicate));
  if (const std::string_view how = weakness(rules, *rule, plugin); !how.empty())
    return MissingRule(plugin.name, plugin.checks, std::format("{} {}", rule->name, how));
  if (classic.lacking.empty()) return std::nullopt;
  return MissingRule(plugin.name, classic.lacking, std::format("{} does not know that", rule->name));
}

/// A plugin whose PreFilter is disabled still checks nodes, or fails for every pod. So `filters` decides.
std::optional<MissingRule> judge_today(const RuleSet& rules, const Plugin& plugin) {
  const ConfiguredPredicate* const rule = find_check(rules, plugin);
  if (rule != nullptr && rule->filters) return std::nullopt;
  return MissingRule(plugin.name, plugin.checks,
                     std::format("the plugin is disabled in the rules' profile {}", rules.scheduler_name));
}

}  // namespace

std::string MissingRule::text() const {
  return one_line(std::format("no rule for {} (kube-scheduler's {}): {}", what, plugin, why), kMostLineBytes);
}

std::vector<std::string_view> left_to_winnow_by_best() {
  std::vector<std::string_view> names;
  for (const Plugin& plugin : predicates::today::plugins())
    if (plugin.best == predicates::today::Best::kWinnow) names.push_back(plugin.name);
  return names;
}

std::vector<MissingRule> missing_rules(const RuleSet& rules, std::span<const std::string_view> plugins) {
  const auto judge = rules.generation == Generation::kToday ? judge_today : judge_classic;
  std::vector<MissingRule> all;
  for (const Plugin& plugin : predicates::today::plugins()) {
    if (std::ranges::find(plugins, plugin.name) == plugins.end()) continue;
    if (auto one = judge(rules, plugin)) all.push_back(std::move(*one));
  }
  return all;
}

std::vector<MissingRule> missing_for_best(const LoadedRules& loaded) {
  std::vector<MissingRule> all;
  for (const RuleSet& rules : loaded.sets)
    std::ranges::move(missing_rules(rules, left_to_winnow_by_best()), std::back_inserter(all));
  return all;
}

}  // namespace winnow
