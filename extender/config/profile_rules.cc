// From a profile to the rules that Winnow runs of it.
#include <algorithm>
#include <format>
#include <utility>

#include "cluster/label_syntax.h"
#include "extender/config/near_names.h"
#include "extender/config/profile.h"
#include "predicates/today/table.h"
#include "priorities/today/table.h"

namespace winnow {
namespace {

using Names = std::vector<std::string>;

bool has(const Names& names, std::string_view name) { return std::ranges::find(names, name) != names.end(); }

std::vector<std::string_view> in_tree_names() {
  std::vector<std::string_view> names;
  for (const PluginRow& row : in_tree_plugins()) names.push_back(row.name);
  return names;
}

class RuleMaker {
 public:
  RuleMaker(const Profile& profile, std::vector<std::string>& warnings)
      : profile_(profile), warnings_(warnings) {
    rules_.generation = Generation::kToday;
    rules_.accounting = Accounting::kToday;
    rules_.scheduler_name = profile.scheduler_name;
  }

  std::expected<RuleSet, std::string> make() {
    if (auto good = check_args(); !good) return std::unexpected(std::move(good).error());
    auto resolved = resolve_plugins(profile_.plugins, child(profile_.path, "plugins"));
    if (!resolved) return std::unexpected(std::move(resolved).error());
    plugins_ = std::move(*resolved);
    add_predicates();
    add_priorities();
    warn_of_staying();
    warn_of_unknown();
    return std::move(rules_);
  }

 private:
  /// Upstream gives default arguments to what is enabled anywhere but at podGroupPostFilter, and cannot make
  /// some plugins without any.
  bool has_args(std::string_view plugin) const {
    if (config_of(plugin) != nullptr) return true;
    PluginSets defaulted = profile_.plugins;
    defaulted[Point::kPodGroupPostFilter] = {};
    return is_needed(defaulted, plugin);
  }

  FieldResult check_args() const {
    if (!profile_.ignored.empty() && !has_args("NodeResourcesFit"))
      return std::unexpected(
          std::format("{}.pluginConfig: can't find NodeResourcesFitArgs in plugin config: "
                      "extenders have resources that are ignoredByScheduler",
                      profile_.path));
    for (const PluginRow& row : in_tree_plugins()) {
      if (!row.takes_args || !is_needed(profile_.plugins, row.name)) continue;
      const ConfiguredPlugin* const config = config_of(row.name);
      if (config != nullptr && !config->args.sound) return config->args.sound;
      if (!has_args(row.name))
        return std::unexpected(std::format(
            "{}.pluginConfig: {} has no args: a plugin that is enabled at podGroupPostFilter alone "
            "gets no default ones",
            profile_.path, row.name));
    }
    return {};
  }

  const ConfiguredPlugin* config_of(std::string_view plugin) const {
    const auto found = std::ranges::find(profile_.configs, plugin, &ConfiguredPlugin::name);
    return found == profile_.configs.end() ? nullptr : &*found;
  }

  Arguments arguments_of(std::string_view plugin) const {
    if (const ConfiguredPlugin* const config = config_of(plugin)) return config->args.values;
    static const rapidjson::Value kNone(rapidjson::kObjectType);
    std::string unused;
    return read_plugin_args(plugin, Reader(kNone, nullptr, unused), "", profile_.ignored).values;
  }

  void add_predicates() {
    for (const std::string& name : plugins_[Point::kFilter]) add_predicate(name, /*filters=*/true);
    for (const std::string& name : plugins_[Point::kPreFilter])
      if (!has(plugins_[Point::kFilter], name)) add_predicate(name, /*filters=*/false);
    order_pre_filters();
  }

  void add_predicate(const std::string& name, bool filters) {
    const predicates::today::Row* const row = predicates::today::find_plugin(name);
    if (row == nullptr) return;
    ConfiguredPredicate predicate{name, row->bind, arguments_of(name)};
    predicate.filters = filters;
    predicate.pre_filters = has(plugins_[Point::kPreFilter], name);
    predicate.may_skip = row->may_skip;
    if (!predicate.pre_filters && !row->without_pre_filter.empty()) {
      predicate.bind = predicates::today::fails;
      predicate.arguments = FailsWith{std::string(row->without_pre_filter)};
      warn_of_failing(name, "filter", "preFilter");
    }
    rules_.predicates.push_back(std::move(predicate));
  }

  /// Those that do not run there stand behind, for it is an order of all.
  void order_pre_filters() {
    std::vector<std::size_t>& order = rules_.pre_filter_order;
    const auto& predicates = rules_.predicates;
    for (const std::string& name : plugins_[Point::kPreFilter]) {
      const auto found = std::ranges::find(predicates, name, &ConfiguredPredicate::name);
      if (found != predicates.end()) order.push_back(static_cast<std::size_t>(found - predicates.begin()));
    }
    for (std::size_t i = 0; i < predicates.size(); ++i)
      if (!predicates[i].pre_filters) order.push_back(i);
    if (std::ranges::is_sorted(order)) order.clear();
  }

  void add_priorities() {
    for (const std::string& name : plugins_[Point::kScore]) add_priority(name, /*scores=*/true);
    for (const std::string& name : plugins_[Point::kPreScore])
      if (!has(plugins_[Point::kScore], name)) add_priority(name, /*scores=*/false);
  }

  void add_priority(const std::string& name, bool scores) {
    const priorities::today::Row* const row = priorities::today::find_plugin(name);
    if (row == nullptr) return;
    ConfiguredPriority priority{name, row->bind, arguments_of(name)};
    const auto weight = plugins_.weights.find(name);
    priority.weight = weight == plugins_.weights.end() ? 1 : weight->second;
    priority.scores = scores;
    priority.may_skip = row->may_skip;
    do_without_other_points(*row, priority);
    rules_.priorities.push_back(std::move(priority));
  }

  /// What a plugin that scores makes of it that another of its extension points is switched off.
  void do_without_other_points(const priorities::today::Row& row, ConfiguredPriority& priority) {
    const auto runs_at = [&](Point point) { return has(plugins_[point], priority.name); };
    const bool pre_scores = runs_at(Point::kPreScore);
    if (!pre_scores && !row.without_pre_score.empty()) {
      priority.bind = priorities::today::fails;
      priority.arguments = FailsWith{std::string(row.without_pre_score)};
      warn_of_failing(priority.name, "score", "preScore");
    } else if (!runs_at(Point::kPreFilter) && !row.without_pre_filter.empty()) {
      priority.bind = priorities::today::fails;
      priority.arguments = FailsWith{std::string(row.without_pre_filter), pre_scores};
      warn_of_failing(priority.name, pre_scores ? "preScore" : "score", "preFilter");
    } else if (row.scores_its_filters && !runs_at(Point::kFilter)) {
      priority.bind = priorities::today::scores_nothing;
    }
  }

  void warn_of_failing(std::string_view name, std::string_view at, std::string_view before) {
    warn(std::format("{}.plugins.{}", profile_.path, at),
         std::format("{} runs here and not at {}: it fails for every pod, as in kube-scheduler", name,
                     before));
  }

  void warn_of_staying() {
    for (const PluginRow& row : in_tree_plugins()) {
      if (!row.stays_upstream) continue;
      const auto points = {Point::kPreFilter, Point::kFilter, Point::kPreScore, Point::kScore};
      if (std::ranges::any_of(points, [&](Point point) { return has(plugins_[point], row.name); }))
        warn(profile_.path, std::format("{} stays in kube-scheduler: leave it enabled there", row.name));
    }
  }

  void warn_of_unknown() {
    Names named;
    const auto warn_of_set = [&](std::string_view field, const PluginSet& set) {
      const std::string path = std::format("{}.plugins.{}", profile_.path, field);
      for (const PluginEntry& entry : set.enabled) warn_of_enabled(path, entry, named);
      for (const PluginEntry& entry : set.disabled) warn_of_disabled(path, entry);
    };
    warn_of_set("multiPoint", profile_.custom.multi_point);
    for (std::size_t i = 0; i < kPoints; ++i)
      warn_of_set(name_of(static_cast<Point>(i)).field, profile_.custom.at[i]);
    for (std::size_t i = 0; i < profile_.configs.size(); ++i) {
      const std::string& name = profile_.configs[i].name;
      if (find_in_tree(name) != nullptr || has(named, name)) continue;
      warn(std::format("{}.pluginConfig[{}].name", profile_.path, i),
           std::format("no plugin {} is enabled, its args are not used{}", go_quote(name), hint(name)));
    }
  }

  void warn_of_enabled(const std::string& path, const PluginEntry& entry, Names& named) {
    if (find_in_tree(entry.name) != nullptr || has(named, entry.name)) return;
    named.push_back(entry.name);
    warn(std::format("{}.enabled[{}].name", path, *entry.index),
         std::format(
             "{} is no plugin of kube-scheduler's own{}: the stock kube-scheduler refuses this file; in "
             "one that was built with it, it stays in kube-scheduler: leave it enabled there",
             go_quote(entry.name), hint(entry.name)));
  }

  void warn_of_disabled(const std::string& path, const PluginEntry& entry) {
    if (entry.name == "*" || find_in_tree(entry.name) != nullptr) return;
    warn(std::format("{}.disabled[{}].name", path, *entry.index),
         std::format("{} is no plugin of kube-scheduler's own, this disables nothing{}", go_quote(entry.name),
                     hint(entry.name)));
  }

  static std::string hint(std::string_view name) {
    if (const auto says = removed_plugin(name); !says.empty()) return std::format(" (it {})", says);
    return did_you_mean(name, in_tree_names());
  }

  void warn(std::string_view path, std::string_view what) {
    warnings_.push_back(std::format("{}: {}", path, what));
  }

  const Profile& profile_;
  std::vector<std::string>& warnings_;
  ResolvedPlugins plugins_;
  RuleSet rules_;
};

}  // namespace

std::expected<RuleSet, std::string> make_rules(const Profile& profile, std::vector<std::string>& warnings) {
  return RuleMaker(profile, warnings).make();
}

}  // namespace winnow
