// Internal to extender/config: which plugins a profile runs at which extension point, in which order.
//
// Upstream: pkg/scheduler/apis/config/v1/default_plugins.go mergePlugins and
// pkg/scheduler/framework/runtime/framework.go NewFramework, v1.37.0. A name that has no row is
// taken for one that a scheduler of the user's own was built with, wherever upstream would say that it does
// not exist.
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

#include "extender/config/common/field_error.h"
#include "extender/config/scheduler_config/extension_points.h"

namespace winnow {

struct PluginEntry {
  std::string name;
  std::int32_t weight = 0;           ///< 0: none given.
  std::optional<std::size_t> index;  ///< In the file's list; nothing: enabled by default.
};

struct PluginSet {
  std::vector<PluginEntry> enabled;
  std::vector<PluginEntry> disabled;
};

/// A profile's `plugins`, as the file has it or merged into the defaults.
struct PluginSets {
  PluginSet multi_point;
  std::array<PluginSet, kPoints> at;

  PluginSet& operator[](Point point) { return at[static_cast<std::size_t>(point)]; }
  const PluginSet& operator[](Point point) const { return at[static_cast<std::size_t>(point)]; }
};

/// What the file has merged into what is enabled by default.
PluginSets merge_into_defaults(const PluginSets& custom);

/// Whether it is enabled anywhere, so that upstream makes one.
bool is_needed(const PluginSets& sets, std::string_view plugin);

struct ResolvedPlugins {
  std::array<std::vector<std::string>, kPoints> at;  ///< In order; out-of-tree ones of multiPoint are not in.
  std::map<std::string, std::int64_t, std::less<>> weights;  ///< Of those that score.

  std::vector<std::string>& operator[](Point point) { return at[static_cast<std::size_t>(point)]; }
  const std::vector<std::string>& operator[](Point point) const {
    return at[static_cast<std::size_t>(point)];
  }
};

/// Expands merged sets.
/// @param path of the profile's `plugins`, for errors.
std::expected<ResolvedPlugins, std::string> resolve_plugins(const PluginSets& sets, std::string_view path);

}  // namespace winnow
