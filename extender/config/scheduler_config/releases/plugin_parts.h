// Internal: the parts of rows that the files plugins_1_….cc share. Only they include this.
#pragma once

#include <optional>
#include <string_view>

#include "extender/config/scheduler_config/releases/plugin_table.h"

namespace winnow::release_plugins {

using enum Point;
using enum PluginKind;

inline constexpr PointSet kFilters(kPreFilter, kFilter);
inline constexpr PointSet kScores(kPreScore, kScore);
inline constexpr PointSet kFiltersAndScores(kPreFilter, kFilter, kPreScore, kScore);
inline constexpr PointSet kTaints(kFilter, kPreScore, kScore);
inline constexpr PointSet kBinding(kPreFilter, kFilter, kReserve, kPreBind, kScore);

constexpr PluginRow without_args(std::string_view name, PointSet points, PluginKind kind) {
  return {name, points, kind};
}
constexpr PluginRow with_args(std::string_view name, PointSet points, PluginKind kind,
                              const ArgsSchema& args) {
  return {name, points, kind, std::nullopt, &args};
}
/// Without the gate VolumeCapacityPriority, which is off by default, its score is 0.
constexpr PluginRow volume_binding(const ArgsSchema& args) {
  PluginRow row = with_args("VolumeBinding", kBinding, kInBoth, args);
  row.scores_nothing = true;
  return row;
}

}  // namespace winnow::release_plugins
