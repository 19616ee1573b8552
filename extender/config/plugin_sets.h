// Internal to extender/config: the plugins that a profile runs at each extension point, in order.
//
// A name without a row in the release's table is taken for an out-of-tree plugin, where upstream would report
// that the plugin does not exist. Upstream: mergePlugins of pkg/scheduler/apis/config/v1/default_plugins.go
// and NewFramework of pkg/scheduler/framework/runtime/framework.go, v1.37.0.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/rule/releases.h"

namespace winnow {

struct ConfigRelease;

struct PluginEntry {
  std::string name;
  std::int32_t weight = 0;           ///< 0: absent.
  std::optional<std::size_t> index;  ///< Index in the file's list; nothing: enabled by default.
};

struct PluginSet {
  std::vector<PluginEntry> enabled;
  std::vector<PluginEntry> disabled;
};

/// A profile's `plugins`, as in the file or merged into the defaults.
struct PluginSets {
  PluginSet multi_point;
  std::array<PluginSet, kPoints> at;

  PluginSet& operator[](Point point) { return at[static_cast<std::size_t>(point)]; }
  const PluginSet& operator[](Point point) const { return at[static_cast<std::size_t>(point)]; }
};

/// Merges the file's sets into those that the release enables by default.
PluginSets merge_into_defaults(const PluginSets& custom, const ConfigRelease& release);

/// Whether the plugin is enabled at any point, so that upstream makes an instance.
bool is_needed(const PluginSets& sets, std::string_view plugin);

struct ResolvedPlugins {
  std::array<std::vector<std::string>, kPoints> at;  ///< In order; without out-of-tree plugins of multiPoint.
  std::map<std::string, std::int64_t, std::less<>> weights;  ///< Of the plugins that score.

  std::vector<std::string>& operator[](Point point) { return at[static_cast<std::size_t>(point)]; }
  const std::vector<std::string>& operator[](Point point) const {
    return at[static_cast<std::size_t>(point)];
  }
};

/// Expands merged sets into one list for each extension point.
/// @param path  of the profile's `plugins`, for errors.
/// @return the lists, or one line that says why upstream refuses them.
std::expected<ResolvedPlugins, std::string> resolve_plugins(const PluginSets& sets, std::string_view path,
                                                            const ConfigRelease& release);

}  // namespace winnow
