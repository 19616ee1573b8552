// Internal to extender/config: what differs between the versions of a KubeSchedulerConfiguration. Only .cc
// files include this.
//
// Each version is read as the last release of kube-scheduler that served it. A row of config_release.cc has
// its fields, its plugins, its defaults, and how that release merges and checks.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "extender/config/scheduler_config/args/field_types.h"
#include "extender/config/scheduler_config/plugin_table.h"
#include "extender/config/scheduler_config/release_plugins.h"

namespace winnow {

/// How a file's sets of plugins go into the default ones. Upstream: mergePlugins and mergePluginSet.
struct Merging {
  bool replaces = true;        ///< An entry takes the place of a default one of its name; else it follows.
  bool keeps_disabled = true;  ///< What is disabled at a point is not added there by multiPoint.
  bool drops_pre_enqueue = false;  ///< The file's preEnqueue is checked, and not used.
};

/// What a release asks of healthzBindAddress and metricsBindAddress.
enum class BindAddresses : std::uint8_t {
  kNoFields,  ///< The version has no such fields.
  kAny,       ///< What has a port has to be an address. Anything else counts as absent.
  kAddress    ///< An address, with or without a port.
};

struct SettingsRules {
  bool lease_may_equal_renewal = false;  ///< leaseDuration and renewDeadline.
  bool any_lock = false;                 ///< resourceLock is not checked.
  BindAddresses addresses = BindAddresses::kNoFields;
};

struct ConfigRelease {
  std::string_view version;  ///< v1beta1
  std::string_view release;  ///< 1.22
  const FieldType& fields;
  std::span<const PluginRow> plugins;
  std::span<const DefaultSet> defaults;
  Merging merging = {};
  SettingsRules settings = {};
  bool refuses_args_of_removed = false;  ///< Arguments of plugins that an older version has.
  /// Plugins that may not score beside NodeResourcesFit.
  std::span<const std::string_view> not_beside_fit = {};
};

/// The release of a version such as v1beta1; null if Winnow does not read it.
const ConfigRelease* find_release(std::string_view version);
/// That of v1.
const ConfigRelease& today_release();

/// The row of a plugin of the release; null if it has none of this name.
const PluginRow* find_plugin(const ConfigRelease& release, std::string_view name);

}  // namespace winnow
