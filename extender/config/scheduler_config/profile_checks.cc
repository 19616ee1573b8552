#include "extender/config/scheduler_config/profile_checks.h"

#include <algorithm>
#include <format>
#include <span>

#include "extender/config/scheduler_config/profile_removed.h"
#include "extender/config/scheduler_config/releases/config_release.h"

namespace winnow {
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
