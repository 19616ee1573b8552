// Internal to extender/config: a profile of a KubeSchedulerConfiguration, and the RuleSet that is made of it.
// Only .cc files include this.
//
// Upstream: pkg/scheduler/apis/config/v1/defaults.go, apis/config/validation/validation.go,
// profile/profile.go and framework/runtime/framework.go NewFramework v1.37.0.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/text/json/json_reader.h"
#include "extender/config/scheduler_config/args/plugin_args.h"
#include "extender/config/scheduler_config/plugin_sets.h"
#include "extender/config/scheduler_config/releases/config_release.h"
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

}  // namespace winnow
