// Makes the rules that Winnow runs of a profile.
//
// A plugin can run at some of its extension points and not at others. Some plugins then fail for every pod,
// with an error of upstream's; such a plugin becomes a rule that only returns this error.
#include <algorithm>
#include <format>
#include <span>
#include <utility>

#include "cluster/rule/default_profile.h"
#include "cluster/rule/expression_args.h"
#include "cluster/text/go_format.h"
#include "cluster/text/words.h"
#include "extender/config/config_release.h"
#include "extender/config/plugin_table.h"
#include "extender/config/profile.h"
#include "extender/config/removed_plugins.h"
#include "extender/config/successors.h"
#include "extender/engine/ruleset.h"
#include "predicates/records.h"
#include "priorities/records.h"

namespace winnow {
namespace {

using Names = std::vector<std::string>;

std::vector<std::string_view> known_names() {
  std::vector<std::string_view> names;
  for (const PluginRow& row : plugin_rows()) names.push_back(row.name);
  return names;
}

std::string hint(std::string_view name) {
  if (const auto plugin = plugin_in_place_of(name); !plugin.empty())
    return std::format(" (a Policy's name: {} does its work)", plugin);
  return did_you_mean(name, known_names());
}

class RuleMaker {
 public:
  RuleMaker(const Profile& profile, std::vector<std::string>& warnings)
      : profile_(profile), args_(profile), warnings_(warnings) {
    rules_.generation = Generation::kToday;
    rules_.accounting = Accounting::kToday;
    rules_.scheduler_name = profile.scheduler_name;
  }

  std::expected<RuleSet, std::string> make() {
    if (auto good = args_.check(profile_.release->plugins); !good)
      return std::unexpected(std::move(good).error());
    auto resolved = resolve_plugins(profile_.plugins, child(profile_.path, "plugins"), *profile_.release);
    if (!resolved) return std::unexpected(std::move(resolved).error());
    plugins_ = std::move(*resolved);
    if (auto good = add_predicates(); !good) return std::unexpected(std::move(good).error());
    if (auto good = add_priorities(); !good) return std::unexpected(std::move(good).error());
    rules_.others_filter = may_filter_unknown();
    warn_of_staying();
    warn_of_unknown();
    return std::move(rules_);
  }

 private:
  /// The rule's name, or that of the user's own.
  static std::string rule_name(const PluginRow& plugin, const std::string& name) {
    return name.starts_with(kExpressionPrefix) ? name : std::string(plugin.rule);
  }
  const PluginRow* row_of(std::string_view name) const { return find_plugin(*profile_.release, name); }

  FieldResult add_predicates() {
    for (const std::string& name : plugins_[Point::kFilter])
      if (auto good = add_predicate(name, /*filters=*/true); !good) return good;
    for (const std::string& name : plugins_[Point::kPreFilter])
      if (!std::ranges::contains(plugins_[Point::kFilter], name))
        if (auto good = add_predicate(name, /*filters=*/false); !good) return good;
    order_pre_filters();
    return {};
  }

  /// Skips plugins that stay in kube-scheduler; warn_of_staying() and warn_of_unknown() report them.
  FieldResult add_predicate(const std::string& name, bool filters) {
    const PluginRow* const plugin = row_of(name);
    if (plugin == nullptr || !runs_here(*plugin)) return {};
    const predicates::Record* const row = predicates::find_plugin(plugin->rule);
    if (row == nullptr) return without_rule(name, Point::kFilter);
    ConfiguredPredicate predicate{rule_name(*plugin, name), row->bind, args_.of(*plugin, name)};
    predicate.filters = filters;
    predicate.pre_filters =
        plugin->pre_filters_as_today || std::ranges::contains(plugins_[Point::kPreFilter], name);
    predicate.may_skip = row->may_skip;
    const bool prepares = plugin->points.has(Point::kPreFilter) &&
                          (row->uses_pre_filter == nullptr || row->uses_pre_filter(predicate.arguments));
    if (!predicate.pre_filters && !row->without_pre_filter.empty() && prepares) {
      predicate.bind = predicates::fails;
      predicate.arguments = FailsWith{std::string(row->without_pre_filter)};
      warn_of_failing(name, "filter", "preFilter");
    }
    rules_.predicates.push_back(std::move(predicate));
    return {};
  }

  /// The plugin runs at this point in its release, and no record of its rule says how.
  std::unexpected<std::string> without_rule(std::string_view name, Point point) const {
    return std::unexpected(
        std::format("{}.plugins.{}: Winnow has no rule {}", profile_.path, name_of(point).field, name));
  }

  /// Lists the predicates in the order of PreFilter. Those without PreFilter come last, so that the list is
  /// complete.
  void order_pre_filters() {
    std::vector<std::size_t>& order = rules_.pre_filter_order;
    const auto& predicates = rules_.predicates;
    for (const std::string& name : plugins_[Point::kPreFilter]) {
      const auto found = std::ranges::find(predicates, name, &ConfiguredPredicate::name);
      if (found != predicates.end()) order.push_back(static_cast<std::size_t>(found - predicates.begin()));
    }
    for (std::size_t i = 0; i < predicates.size(); ++i)
      if (!std::ranges::contains(order, i)) order.push_back(i);
    if (std::ranges::is_sorted(order)) order.clear();
  }

  FieldResult add_priorities() {
    for (const std::string& name : plugins_[Point::kScore])
      if (auto good = add_priority(name, /*scores=*/true); !good) return good;
    for (const std::string& name : plugins_[Point::kPreScore])
      if (!std::ranges::contains(plugins_[Point::kScore], name))
        if (auto good = add_priority(name, /*scores=*/false); !good) return good;
    return {};
  }

  FieldResult add_priority(const std::string& name, bool scores) {
    const PluginRow* const plugin = row_of(name);
    if (plugin == nullptr || !runs_here(*plugin)) return {};
    const priorities::Record* const row = priorities::find_plugin(plugin->rule);
    if (row == nullptr) return without_rule(name, Point::kScore);
    ConfiguredPriority priority{rule_name(*plugin, name), row->bind, args_.of(*plugin, name)};
    const auto weight = plugins_.weights.find(name);
    priority.weight = weight == plugins_.weights.end() ? 1 : weight->second;
    priority.scores = scores;
    priority.may_skip = row->may_skip;
    if (plugin->scores_nothing) {
      priority.bind = priorities::scores_nothing;
    } else {
      do_without_other_points(*plugin, name, *row, priority);
    }
    rules_.priorities.push_back(std::move(priority));
    return {};
  }

  /// Adapts a scoring plugin to extension points of its own that are disabled.
  void do_without_other_points(const PluginRow& plugin, const std::string& name,
                               const priorities::Record& row, ConfiguredPriority& priority) {
    // A point that the release's plugin does not have is not missing.
    const auto runs_at = [&](Point point) {
      return !plugin.points.has(point) || std::ranges::contains(plugins_[point], name);
    };
    const bool pre_scores = runs_at(Point::kPreScore);
    if (!pre_scores && !row.without_pre_score.empty()) {
      priority.bind = row.failing;
      priority.arguments = FailsWith{std::string(row.without_pre_score)};
      warn_of_failing(priority.name, "score", "preScore");
    } else if (!runs_at(Point::kPreFilter) && !row.without_pre_filter.empty()) {
      priority.bind = priorities::fails;
      const bool at_pre_score = pre_scores && plugin.points.has(Point::kPreScore);
      priority.arguments = FailsWith{std::string(row.without_pre_filter), at_pre_score};
      warn_of_failing(priority.name, at_pre_score ? "preScore" : "score", "preFilter");
    } else if (row.scores_its_filters && !runs_at(Point::kFilter)) {
      priority.bind = priorities::scores_nothing;
    }
  }

  void warn_of_failing(std::string_view name, std::string_view at, std::string_view before) {
    const std::string point =
        at == "preScore" ? std::string(field_of(*profile_.release, Point::kPreScore)) : std::string(at);
    warn(child(child(profile_.path, "plugins"), point),
         std::format("{} runs here and not at {}: it fails for every pod, as in kube-scheduler", name,
                     before));
  }

  void warn_of_staying() {
    for (const PluginRow& row : profile_.release->plugins) {
      // What each profile has is no news: an answer about a pod that needs it says so.
      if (row.kind != PluginKind::kInKubeScheduler || is_default(row.name)) continue;
      const auto points = {Point::kPreFilter, Point::kFilter, Point::kPreScore, Point::kScore};
      if (std::ranges::any_of(points,
                              [&](Point point) { return std::ranges::contains(plugins_[point], row.name); }))
        warn(profile_.path, std::format("{} stays in kube-scheduler: leave it enabled there", row.name));
    }
  }

  /// Whether a plugin is on that upstream does not have, where it may filter.
  bool may_filter_unknown() const {
    const auto names_unknown = [&](const PluginSet& set) {
      return std::ranges::any_of(set.enabled, [&](const PluginEntry& entry) {
        return entry.name != "*" && row_of(entry.name) == nullptr;
      });
    };
    const PluginSets& custom = profile_.custom;
    return names_unknown(custom.multi_point) || names_unknown(custom[Point::kFilter]) ||
           names_unknown(custom[Point::kPreFilter]);
  }

  void warn_of_unknown() {
    Names named;
    const auto warn_of_set = [&](std::string_view field, const PluginSet& set) {
      const std::string path = child(child(profile_.path, "plugins"), field);
      for (const PluginEntry& entry : set.enabled) warn_of_enabled(path, entry, named);
      for (const PluginEntry& entry : set.disabled) warn_of_disabled(path, entry);
    };
    warn_of_set("multiPoint", profile_.custom.multi_point);
    for (std::size_t i = 0; i < kPoints; ++i)
      warn_of_set(field_of(*profile_.release, static_cast<Point>(i)), profile_.custom.at[i]);
    for (std::size_t i = 0; i < profile_.configs.size(); ++i) {
      const std::string& name = profile_.configs[i].name;
      const bool is_known = row_of(name) != nullptr;
      if (std::ranges::contains(named, name) || (is_known && runs_anywhere(name))) continue;
      warn(child(element(child(profile_.path, "pluginConfig"), i), "name"),
           std::format("no plugin {} is enabled, its args are not used{}", go_quote(name),
                       is_known ? "" : hint(name)));
    }
  }

  bool runs_anywhere(std::string_view name) const {
    return std::ranges::any_of(plugins_.at,
                               [&](const Names& there) { return std::ranges::contains(there, name); });
  }

  void warn_of_enabled(const std::string& path, const PluginEntry& entry, Names& named) {
    if (std::ranges::contains(named, entry.name)) return;
    const std::string says = enabled_warning(entry.name, row_of(entry.name));
    if (says.empty()) return;
    named.push_back(entry.name);
    warn(std::format("{}.enabled[{}].name", path, *entry.index), says);
  }

  /// A plugin of the file's own multiPoint may be disabled at a point, whatever plugin it is.
  void warn_of_disabled(const std::string& path, const PluginEntry& entry) {
    if (entry.name == "*") return;
    const auto& own = profile_.custom.multi_point.enabled;
    if (!path.ends_with(".multiPoint") && std::ranges::contains(own, entry.name, &PluginEntry::name)) return;
    const std::string_view removed = is_todays() ? removed_plugin(entry.name) : std::string_view();
    if (removed.empty() && row_of(entry.name) != nullptr) return;
    const std::string at = std::format("{}.disabled[{}].name", path, *entry.index);
    if (removed.empty())
      warn(at, std::format("{} is no plugin of kube-scheduler's own, this disables nothing{}",
                           go_quote(entry.name), hint(entry.name)));
    else
      warn(at, std::format("this disables nothing: {} {}", entry.name, removed));
  }

  bool is_todays() const { return profile_.release == &today_release(); }

  void warn(std::string_view path, std::string_view what) {
    warnings_.push_back(std::format("{}: {}", path, what));
  }

  const Profile& profile_;
  const ProfileArgs args_;
  std::vector<std::string>& warnings_;
  ResolvedPlugins plugins_;
  RuleSet rules_;
};

}  // namespace

std::string enabled_warning(std::string_view name, const PluginRow* plugin) {
  if (plugin == nullptr)
    return std::format(
        "{} is no plugin of kube-scheduler's own{}: the stock kube-scheduler refuses this file; in one that "
        "was "
        "built with it, it stays in kube-scheduler: leave it enabled there",
        go_quote(name), hint(name));
  if (plugin->kind == PluginKind::kInWinnow)
    return std::format(
        "{} is Winnow's own plugin: it runs here, and the stock kube-scheduler refuses this file",
        go_quote(name));
  return {};
}

std::expected<RuleSet, std::string> make_rules(const Profile& profile, std::vector<std::string>& warnings) {
  return RuleMaker(profile, warnings).make();
}

namespace {

/// Upstream: validateScorePluginSetForConflictPlugins v1.22.17.
FieldResult check_beside_fit(const Profile& profile) {
  const std::vector<PluginEntry>& scores = profile.plugins[Point::kScore].enabled;
  if (std::ranges::find(scores, "NodeResourcesFit", &PluginEntry::name) == scores.end()) return {};
  for (const std::string_view name : profile.release->not_beside_fit)
    if (std::ranges::find(scores, name, &PluginEntry::name) != scores.end())
      return std::unexpected(std::format("{}.plugins.score: NodeResourcesFit and {} may not be on together",
                                         profile.path, name));
  return {};
}

FieldResult check_configs(const Profile& profile) {
  for (std::size_t i = 0; i < profile.configs.size(); ++i) {
    const ConfiguredPlugin& config = profile.configs[i];
    const std::string path = element(child(profile.path, "pluginConfig"), i);
    const auto before = std::span(profile.configs).first(i);
    if (std::ranges::find(before, config.name, &ConfiguredPlugin::name) != before.end())
      return duplicate(child(path, "name"), config.name);
    if (profile.release->of_118.plugins_read_args) {
      // The extenders' resources are arguments of this plugin.
      if (config.name == "NodeResourcesFit" && !profile.ignored.empty())
        return forbidden(child(path, "name"),
                         "repeated: extenders have resources that are ignoredByScheduler");
      continue;
    }
    // Upstream's table of checks has this name by mistake, and no arguments could pass its check.
    if (config.name == "NodeResourcesFitArgs")
      return std::unexpected(path +
                             ".args: has to match plugin args (the plugin's name is NodeResourcesFit)");
    if (config.name != "NodeResourcesFit" && !config.args.sound) return config.args.sound;
  }
  return {};
}

bool same_entries(const std::vector<PluginEntry>& a, const std::vector<PluginEntry>& b, bool weights) {
  return std::ranges::equal(a, b, [&](const PluginEntry& x, const PluginEntry& y) {
    return x.name == y.name && (!weights || x.weight == y.weight);
  });
}

bool same_args(const rapidjson::Value* a, const rapidjson::Value* b) {
  return a == nullptr || b == nullptr ? a == b : *a == *b;
}

/// All profiles must sort the queue alike: their pods wait in one queue. Upstream: validateCommonQueueSort.
FieldResult check_queue_sort(const Profile& first, const Profile& profile) {
  const PluginSet& canon = first.plugins[Point::kQueueSort];
  const PluginSet& sets = profile.plugins[Point::kQueueSort];
  const std::string path = child(profile.path, "plugins.queueSort");
  if (canon.enabled.size() > 1)
    return invalid(child(first.path, "plugins.queueSort.enabled"),
                   static_cast<std::int64_t>(canon.enabled.size()),
                   "only one queue sort plugin can be enabled");
  if (!same_entries(canon.enabled, sets.enabled, true) || !same_entries(canon.disabled, sets.disabled, false))
    return std::unexpected(path + ": must be the same for all profiles");
  const std::string name = canon.enabled.empty() ? std::string() : canon.enabled.front().name;
  const rapidjson::Value* args = nullptr;
  if (!name.empty())
    for (const ConfiguredPlugin& config : first.configs)
      if (config.name == name) args = config.written;
  for (const ConfiguredPlugin& config : profile.configs)
    if (&profile != &first && config.name == name && !same_args(args, config.written))
      return std::unexpected(child(profile.path, "pluginConfig") +
                             ": queueSort must be the same for all profiles");
  return {};
}

/// What the file says has to be the same, too. Upstream: validateCommonQueueSort v1.18.20.
FieldResult check_written_queue_sort(const Profile& first, const Profile& profile) {
  if (!profile.release->of_118.plugins_read_args) return {};
  const PluginSet& canon = first.custom[Point::kQueueSort];
  const PluginSet& set = profile.custom[Point::kQueueSort];
  if (first.names_queue_sort == profile.names_queue_sort && same_entries(canon.enabled, set.enabled, true) &&
      same_entries(canon.disabled, set.disabled, true))
    return {};
  return std::unexpected(child(profile.path, "plugins.queueSort") + ": must be the same for all profiles");
}

const rapidjson::Value* args_of(const Profile& profile, std::string_view plugin) {
  const auto found = std::ranges::find(profile.configs, plugin, &ConfiguredPlugin::name);
  return found == profile.configs.end() ? nullptr : found->written;
}

/// The same check for the plugin that multiPoint enables. Upstream: cfgValidator of profile.go.
FieldResult check_queue_sort_args(const Profile& first, const Profile& profile) {
  constexpr std::string_view kSort = "PrioritySort";
  if (!is_needed(first.plugins, kSort) || !is_needed(profile.plugins, kSort)) return {};
  if (same_args(args_of(first, kSort), args_of(profile, kSort))) return {};
  return std::unexpected(child(profile.path, "pluginConfig") +
                         ": different queue sort plugin args than those of profiles[0]");
}

}  // namespace

FieldResult check_profiles(const std::vector<Profile>& profiles) {
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    const Profile& profile = profiles[i];
    const std::string name_path = child(profile.path, "schedulerName");
    if (profile.scheduler_name.empty())
      return required(name_path, profiles.size() > 1 ? "each of several profiles needs a name" : "");
    const auto before = std::span(profiles).first(i);
    if (std::ranges::find(before, profile.scheduler_name, &Profile::scheduler_name) != before.end())
      return duplicate(name_path, profile.scheduler_name);
    if (auto good = check_known_then(profile); !good) return good;
    if (auto good = check_beside_fit(profile); !good) return good;
    if (auto good = check_configs(profile); !good) return good;
    if (auto good = check_queue_sort(profiles.front(), profile); !good) return good;
    if (auto good = check_written_queue_sort(profiles.front(), profile); !good) return good;
    if (auto good = check_queue_sort_args(profiles.front(), profile); !good) return good;
  }
  return {};
}

}  // namespace winnow
