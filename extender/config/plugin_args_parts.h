// Internal to extender/config: what the files plugin_args*.cc share. Only they include this.
#pragma once

#include <algorithm>
#include <span>

#include "extender/config/plugin_args.h"

namespace winnow {

inline constexpr std::int64_t kMaxPercent = 100;

inline bool is_one_of(std::span<const std::string_view> words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

FieldResult check_range(std::string_view path, std::int64_t value, std::int64_t least, std::int64_t most);
FieldResult check_label_name(std::string_view path, std::string_view name);
/// A line of at least one point, utilization increasing.
FieldResult check_shape(const UtilizationShape& shape, std::string_view path);

bool read_fields(const Reader& r, UtilizationPoint& point);

// One of each plugin's, for read_plugin_args.
PluginArgs read_fit_args(const Reader& r, std::string_view path, const std::vector<std::string>& ignored);
PluginArgs read_balanced_args(const Reader& r, std::string_view path);
PluginArgs read_topology_spread_args(const Reader& r, std::string_view path);

}  // namespace winnow
