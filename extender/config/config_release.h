// Internal to extender/config: the versions of a KubeSchedulerConfiguration and their fields. Only .cc
// files include this.
//
// Each version is read as the last release of kube-scheduler that served it. A row of config_release.cc has
// its fields, its plugins, its defaults, and how that release merges and checks.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "cluster/rule/args_schema.h"

namespace winnow {

enum class Point : std::uint8_t;
struct DefaultSet;
struct PluginRow;

inline constexpr std::string_view kSchedulerConfigKind = "KubeSchedulerConfiguration";
inline constexpr std::string_view kSchedulerConfigGroup = "kubescheduler.config.k8s.io/";
inline constexpr std::string_view kSchedulerConfigVersion = "v1";

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
  bool old_locks = false;  ///< Its first releases (to 1.26) take endpointsleases and configmapsleases.
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

// Internal to extender/config: the fields of a KubeSchedulerConfiguration in each version. Only .cc files
// include this.
//
// Upstream: k8s.io/kube-scheduler/config: v1/types.go v0.37.0, v1beta3/types.go v0.28.15, v1beta2/types.go
// v0.27.16, v1beta1/types.go v0.22.17, v1alpha2/types.go, v1alpha1/types.go and v1/types.go (extenders)
// v0.18.19; k8s.io/component-base/config/v1alpha1/types.go of the same.

/// The type of the whole file. Arguments of plugins are kAnything in it; their ArgsSchema has their type.
extern const FieldType kConfigV1, kConfigV1Beta3, kConfigV1Beta2, kConfigV1Beta1, kConfigV1Alpha2,
    kConfigV1Alpha1;

}  // namespace winnow
