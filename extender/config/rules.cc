#include "extender/config/rules.h"

#include <algorithm>
#include <format>
#include <iterator>
#include <optional>
#include <utility>

#include "cluster/memory_budget.h"
#include "cluster/text/characters.h"
#include "cluster/text/json_document.h"
#include "cluster/text/json_reader.h"
#include "extender/config/plugin_args.h"
#include "extender/config/policy.h"
#include "extender/config/removed_plugins.h"
#include "extender/config/scheduler_config.h"
#include "extender/config/v1_18_policy.h"
#include "extender/engine/ruleset.h"
#include "predicates/plugins.h"
#include "predicates/table.h"
#include "priorities/plugins.h"
#include "priorities/table.h"

namespace winnow {
namespace {

/// The generation of a file. A Policy may have today's API group too (v1.18 to v1.22), and may lack its kind.
/// Files of unknown generation go to the reader of policies, which reports the error.
Generation generation_of(std::string_view text) {
  DocumentReader reader(std::string(text), Merges::kTwice);
  rapidjson::Document root;
  if (!reader.next(root).value_or(false) || !root.IsObject()) return Generation::kClassic;
  const std::string_view kind = string_at(root, "kind");
  if (!kind.empty()) return kind == kSchedulerConfigKind ? Generation::kToday : Generation::kClassic;
  const bool has_profiles = root.HasMember("profiles") || root.HasMember("leaderElection");
  const bool of_group = string_at(root, "apiVersion").starts_with(kSchedulerConfigGroup);
  const bool has_rules = root.HasMember("predicates") || root.HasMember("priorities");
  return has_profiles || (of_group && !has_rules) ? Generation::kToday : Generation::kClassic;
}

std::expected<LoadedRules, std::string> load(std::string_view text, const Gates& gates) {
  const Generation generation = generation_of(text);
  if (auto error = foreign_gate(gates, generation)) return std::unexpected(std::move(*error));
  if (generation != Generation::kToday) return load_policy(text, gates);
  return load_scheduler_config(
      text, [&](const std::optional<std::string>& path) { return load_policy_beside(path, gates); });
}

}  // namespace

std::expected<LoadedRules, std::string> load_rules(std::string_view file_name, std::string_view text,
                                                   const Gates& gates) try {
  // Thousands of profiles take many times their text.
  const HeldToProcess held;
  auto loaded = load(text, gates);
  if (!loaded)
    return std::unexpected(one_line(std::format("{}: {}", file_name, loaded.error()), kMostLineBytes));
  for (std::vector<std::string>* lines : {&loaded->notes, &loaded->warnings})
    for (std::string& line : *lines) line = one_line(line, kMostLineBytes);
  loaded->text = text;
  return loaded;
} catch (const MemoryExceeded& exceeded) {
  return std::unexpected(one_line(std::format("{}: {}", file_name, exceeded.text()), kMostLineBytes));
}

LoadedRules default_rules(const Gates& gates) { return default_policy(gates); }

namespace {

/// The watched kinds of the row that a rule was made from. A rule that only returns an error has no row, and
/// reads nothing.
template <class Row, class Bind>
WatchedKinds needs_of(std::span<const Row> rows, Bind* bind) {
  const auto row = std::ranges::find(rows, bind, &Row::bind);
  if (row == rows.end()) return {};
  return row->needs;
}

template <class Today, class Classic, class Rule>
WatchedKinds needs_of(Today today, Classic classic, const Rule& rule) {
  const auto* const spread = std::get_if<PodTopologySpreadArgs>(&rule.arguments);
  // Only the default constraints read a pod's services and controllers.
  if (spread && spread->default_constraints.empty() && !spread->system_defaulted) return {};
  return needs_of(today, rule.bind) | needs_of(classic, rule.bind);
}

}  // namespace

WatchedKinds needed(const RuleSet& rules) {
  WatchedKinds all = kind_of<Node> | kind_of<Pod> | kind_of<PodDisruptionBudget>;
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

WatchedKinds needed(const std::vector<RuleSet>& sets) {
  WatchedKinds all;
  for (const RuleSet& rules : sets) all |= needed(rules);
  return all;
}

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
