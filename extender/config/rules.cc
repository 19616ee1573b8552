#include "extender/config/rules.h"

#include <algorithm>
#include <format>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/api/wanted_fields.h"
#include "cluster/memory_budget.h"
#include "cluster/rule/expression_args.h"
#include "cluster/rule/shared_args.h"
#include "cluster/text/characters.h"
#include "cluster/text/other_texts.h"
#include "extender/config/config_document.h"
#include "extender/config/extenders.h"
#include "extender/config/gates.h"
#include "extender/config/policy.h"
#include "extender/config/rules_summary.h"
#include "extender/config/scheduler_config.h"
#include "extender/config/wrapped_config.h"
#include "extender/engine/ruleset.h"
#include "predicates/records.h"
#include "priorities/records.h"

namespace winnow {
namespace {

std::expected<LoadedRules, std::string> load(std::string_view text, const Gates& gates, int depth = 0) {
  if (is_unrendered(text)) return std::unexpected(std::string(kUnrendered));
  ConfigDocument document(text);
  if (auto inner = wrapped_config(document.root()); inner && depth == 0) {
    if (!*inner) return std::unexpected(std::move(*inner).error());
    auto loaded = load((*inner)->text, gates, depth + 1);
    if (!loaded) return std::unexpected(std::format("{}: {}", (*inner)->path, loaded.error()));
    loaded->notes.insert(loaded->notes.begin(), std::move((*inner)->note));
    return loaded;
  }
  if (std::string other = other_file(document.root(), text); !other.empty())
    return std::unexpected(std::move(other));
  if (auto good = check_generation(gates, document.generation()); !good)
    return std::unexpected(std::move(good).error());
  return document.generation() == Generation::kToday ? load_scheduler_config(document, gates)
                                                     : load_policy(document, gates);
}

constexpr std::string_view kDefaultText =
    R"({"apiVersion":"kubescheduler.config.k8s.io/v1","kind":"KubeSchedulerConfiguration"})";

std::string fingerprint(const LoadedRules& rules) {
  std::vector<const RuleSet*> sets;
  for (const RuleSet& set : rules.sets) sets.push_back(&set);
  return fingerprint_of(sets);
}

/// Says where the rules are from. The same rules say the same, of whatever file they are: a recording has the
/// file in another form.
void set_sources(LoadedRules& rules, const Gates& gates) {
  if (rules.sets.front().generation == Generation::kClassic) {
    rules.sets.front().source = "a Policy";
    return;
  }
  const auto by_default = load(kDefaultText, gates);
  const bool is_default = by_default && fingerprint(*by_default) == fingerprint(rules);
  for (RuleSet& set : rules.sets)
    set.source =
        is_default ? "1.37, default profile" : "a KubeSchedulerConfiguration, profile " + set.scheduler_name;
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
  set_sources(*loaded, gates);
  return loaded;
} catch (const MemoryExceeded& exceeded) {
  return std::unexpected(one_line(std::format("{}: {}", file_name, exceeded.text()), kMostLineBytes));
}

bool names_rules(std::string_view config) {
  return config.empty() || config == kDefaultRules || config == kClassicRules;
}

std::expected<LoadedRules, std::string> named_rules(std::string_view name, const Gates& gates) {
  if (name == kClassicRules) {
    if (auto good = check_generation(gates, Generation::kClassic); !good)
      return std::unexpected(std::move(good).error());
    return classic_rules(gates);
  }
  auto rules = load_rules(kDefaultRules, kDefaultText, gates);
  if (rules) rules->named = true;
  return rules;
}

LoadedRules classic_rules(const Gates& gates) {
  LoadedRules rules = default_policy(gates);
  rules.named = true;
  rules.sets.front().source = "v1.16, default provider";
  return rules;
}

namespace {

/// The watched kinds of the rule. One that only returns an error has no record, and reads nothing.
template <class Record, class Rule>
WatchedKinds needs_of(const Record* record, const Rule& rule) {
  const auto* const spread = rule.arguments.template get_if<PodTopologySpreadArgs>();
  // Only the default constraints read a pod's services and controllers.
  if (spread && spread->default_constraints.empty() && !spread->system_defaulted) return {};
  if (record == nullptr) return {};
  return record->needs;
}

}  // namespace

WatchedKinds needed(const RuleSet& rules) {
  WatchedKinds all = kind_of<Node> | kind_of<Pod> | kind_of<PodDisruptionBudget>;
  if (rules.generation == Generation::kClassic) all |= needs::kClaims;
  for (const ConfiguredPredicate& rule : rules.predicates)
    all |= needs_of(predicates::find_record(rule.bind), rule);
  for (const ConfiguredPriority& rule : rules.priorities) {
    const auto* const record = priorities::find_record(rule.bind);
    all |= needs_of(record, rule);
    if (record && record->reads_devices && record->reads_devices(rule.arguments)) all |= needs::kDevices;
  }
  return all;
}

namespace {

template <class Record, class Rule>
void add_facts(const Record* record, const Rule& rule, std::vector<NodeFact>& facts) {
  if (record != nullptr && record->facts != nullptr)
    std::ranges::move(record->facts(rule.arguments), std::back_inserter(facts));
}

/// What the rules of all profiles ask for, in the same order however a file names the rules.
std::vector<NodeFact> facts_of(const std::vector<RuleSet>& sets) {
  std::vector<NodeFact> facts;
  for (const RuleSet& rules : sets) {
    for (const ConfiguredPredicate& rule : rules.predicates)
      add_facts(predicates::find_record(rule.bind), rule, facts);
    for (const ConfiguredPriority& rule : rules.priorities)
      add_facts(priorities::find_record(rule.bind), rule, facts);
  }
  std::ranges::sort(facts);
  const auto repeated = std::ranges::unique(facts);
  facts.erase(repeated.begin(), repeated.end());
  return facts;
}

/// The fields that the expressions of all profiles read.
WantedByExpressions expression_fields(const std::vector<RuleSet>& sets) {
  WantedByExpressions all;
  const auto add = [&](const Arguments& arguments) {
    const auto* const args = arguments.get_if<ExpressionArgs>();
    if (args == nullptr) return;
    const WantedByExpressions fields = wanted_by(*args);
    all.usage |= fields.usage;
    all.metrics |= fields.metrics;
    all.pod_fields.insert(all.pod_fields.end(), fields.pod_fields.begin(), fields.pod_fields.end());
    all.node_fields.insert(all.node_fields.end(), fields.node_fields.begin(), fields.node_fields.end());
  };
  for (const RuleSet& rules : sets) {
    for (const ConfiguredPredicate& rule : rules.predicates) add(rule.arguments);
    for (const ConfiguredPriority& rule : rules.priorities) add(rule.arguments);
  }
  all.pod_fields = least_fields(std::move(all.pod_fields));
  all.node_fields = least_fields(std::move(all.node_fields));
  return all;
}

}  // namespace

State::Options state_options(const LoadedRules& rules) {
  const RuleSet& first = rules.sets.front();
  WantedByExpressions fields = expression_fields(rules.sets);
  // Whoever makes a state of these options decodes objects next.
  want_fields(FieldsOf::kPods, fields.pod_fields);
  want_fields(FieldsOf::kNodes, fields.node_fields);
  const bool node_load = fields.usage || fields.metrics;
  if (node_load) want_running_since();
  return {first.accounting,
          first.exact_zones,
          first.generation,
          facts_of(rules.sets),
          std::move(fields.pod_fields),
          std::move(fields.node_fields),
          node_load};
}

Measurements measurements_read(const std::vector<RuleSet>& sets) {
  const WantedByExpressions wanted = expression_fields(sets);
  return {.usage = wanted.usage, .metrics = wanted.metrics};
}

WatchedKinds needed(const std::vector<RuleSet>& sets) {
  WatchedKinds all;
  for (const RuleSet& rules : sets) all |= needed(rules);
  return all;
}

namespace {

using Plugin = predicates::Record;

std::optional<MissingRule> judge_classic(const RuleSet& rules, const Plugin& plugin) {
  const predicates::ClassicCheck& classic = plugin.classic;
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
  for (const Plugin& plugin : predicates::plugins())
    if (plugin.left_to_winnow()) names.push_back(plugin.name);
  return names;
}

std::vector<MissingRule> missing_rules(const RuleSet& rules, std::span<const std::string_view> plugins) {
  const auto judge = rules.generation == Generation::kToday ? judge_today : judge_classic;
  std::vector<MissingRule> all;
  for (const Plugin& plugin : predicates::plugins()) {
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
