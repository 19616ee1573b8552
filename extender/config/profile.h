// Internal to extender/config: a profile: its RuleSet, its plugins' arguments, and upstream's checks of it.
// Only .cc files include this.
//
// Upstream: pkg/scheduler/apis/config/v1/defaults.go, apis/config/validation/validation.go,
// profile/profile.go and framework/runtime/framework.go NewFramework v1.37.0.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/rule/args_schema.h"
#include "extender/config/config_release.h"
#include "extender/config/plugin_sets.h"
#include "extender/engine/ruleset.h"

namespace winnow {

struct PluginRow;

/// An entry of a profile's pluginConfig.
struct ConfiguredPlugin {
  std::string name;
  PluginArgs args;                            ///< For a known plugin that takes arguments.
  const rapidjson::Value* written = nullptr;  ///< Null if the file gives none.
};

struct Profile {
  const ConfigRelease* release = &today_release();  ///< Of the file's version.
  std::string path;                                 ///< profiles[0]; "" where the file is the profile.
  std::string scheduler_name;
  PluginSets custom;              ///< As in the file.
  PluginSets plugins;             ///< Merged into the defaults.
  bool names_queue_sort = false;  ///< Whether the file has plugins.queueSort.
  std::vector<ConfiguredPlugin> configs;
  std::vector<std::string> ignored;  ///< See WrittenArgs.
};

/// Reads the profiles of a configuration whose fields have been checked; a default one if there are none.
/// @param release  of the file's version.
/// @param ignored  see WrittenArgs.
/// @param error  the reader's error string.
/// @return the profiles, or one line that says what is wrong.
std::expected<std::vector<Profile>, std::string> read_profiles(const Reader& config,
                                                               const ConfigRelease& release,
                                                               const std::vector<std::string>& ignored,
                                                               std::string& error);

/// The start-up warning about a plugin that a profile enables; "" for none.
/// @param plugin  its row; null: there is none.
std::string enabled_warning(std::string_view name, const PluginRow* plugin);

/// Makes the rules of a profile.
/// @param warnings  receives a line for each plugin that does not run here, or was probably not intended.
/// @return the rules, or one line that says why upstream could not make its framework.
std::expected<RuleSet, std::string> make_rules(const Profile& profile, std::vector<std::string>& warnings);

// Internal to extender/config: the arguments of a profile's plugins, from the file or by default. Only .cc
// files include this.

/// A view of one profile.
class ProfileArgs {
 public:
  /// @param profile  must outlive this.
  explicit ProfileArgs(const Profile& profile) : profile_(profile) {}

  /// Checks that upstream can make each of these plugins that the profile enables, with its written or
  /// default arguments. @return the error, if it cannot.
  FieldResult check(std::span<const PluginRow> plugins) const;

  /// The plugin's arguments; empty if it takes none. @param name  by which it is enabled.
  Arguments of(const PluginRow& plugin, std::string_view name) const;

 private:
  /// The names by which the profile enables the plugin at any point.
  std::vector<std::string> names_of(const PluginRow& plugin) const;
  const ConfiguredPlugin* written(std::string_view plugin) const;
  PluginArgs by_default(const PluginRow& plugin, std::string_view name) const;
  bool has_any(std::string_view plugin) const;

  const Profile& profile_;
};

// Internal to extender/config: the removed plugins that profiles enable. Only .cc files include this.

/// What a start says about the removed plugins that profiles enable, in one line; "" if there are none.
std::string removed_plugins_warning(const std::vector<Profile>& profiles);
/// Fails for the first plugin that the profile enables and its release had lost: kube-scheduler of that time
/// refused the file.
FieldResult check_known_then(const Profile& profile);
/// Fails for the first removed plugin that the profile enables: the stock kube-scheduler refuses its file.
FieldResult check_not_removed(const Profile& profile);

// Internal to extender/config: the checks of upstream's validation. Only .cc files include this.
//
// Upstream: apis/config/validation/validation.go and profile/profile.go v1.37.0, v1.28.15 and v1.22.17.

/// Makes the checks on all profiles together. @return the first thing that is wrong.
FieldResult check_profiles(const std::vector<Profile>& profiles);

}  // namespace winnow
