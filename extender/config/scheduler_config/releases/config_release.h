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
#include "extender/config/scheduler_config/releases/plugin_table.h"
#include "extender/config/scheduler_config/releases/release_plugins.h"

namespace winnow {

/// How a file's sets of plugins go into the default ones. Upstream: mergePlugins and mergePluginSet.
struct Merging {
  bool replaces = true;        ///< An entry takes the place of a default one of its name; else it follows.
  bool keeps_disabled = true;  ///< What is disabled at a point is not added there by multiPoint.
  bool drops_pre_enqueue = false;  ///< The file's preEnqueue is checked, and not used.
  bool drops_multi_point = false;  ///< The file's multiPoint, likewise.
};

/// What a release asks of healthzBindAddress and metricsBindAddress.
enum class BindAddresses : std::uint8_t {
  kNoFields,  ///< The version has no such fields.
  kAny,       ///< What has a port has to be an address. Anything else counts as absent.
  kZeroPort   ///< Nothing, or an address with port 0.
};

struct SettingsRules {
  bool lease_may_equal_renewal = false;  ///< leaseDuration and renewDeadline.
  bool any_lock = false;                 ///< resourceLock is not checked.
  BindAddresses addresses = BindAddresses::kNoFields;
};

/// What v1.18 does otherwise than its successors.
struct OfV118 {
  /// The plugin decodes its arguments itself: leniently, and only where it is enabled.
  bool plugins_read_args = false;
  bool one_profile = false;  ///< The file itself is the profile, and unknown fields are not used.
  bool post_filter_is_pre_score = false;  ///< The name of that extension point.
};

struct ConfigRelease {
  std::string_view version;  ///< v1beta1
  std::string_view release;  ///< 1.22
  const FieldType& fields;
  std::span<const PluginRow> plugins;
  std::span<const DefaultSet> defaults;
  Merging merging = {};
  SettingsRules settings = {};
  OfV118 of_118 = {};
  /// Plugins that may not score beside NodeResourcesFit.
  std::span<const std::string_view> not_beside_fit = {};
};

/// The release of a version such as v1beta1; null if Winnow does not read it.
const ConfigRelease* find_release(std::string_view version);
/// That of v1.
const ConfigRelease& today_release();
/// v1alpha1 with the default plugins of an algorithm provider; null if v1.18 has none of this name.
const ConfigRelease* find_provider(std::string_view name);

/// The field of a profile's `plugins` for an extension point; "" if the version has none.
std::string_view field_of(const ConfigRelease& release, Point point);
/// Whether any kube-scheduler of these releases has a plugin of this name.
bool is_plugin_of_any_release(std::string_view name);

/// The row of a plugin of the release; null if it has none of this name.
const PluginRow* find_plugin(const ConfigRelease& release, std::string_view name);

}  // namespace winnow
