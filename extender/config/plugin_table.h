// The plugins of a v1 configuration, and extension points (upstream: scheduler/apis/config/types.go v1.37.0).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "cluster/rule/arguments.h"

namespace winnow {

/// The extension points, in the order in which upstream processes them.
enum class Point : std::uint8_t {
  kPreFilter,
  kFilter,
  kPostFilter,
  kReserve,
  kPreScore,
  kScore,
  kPreBind,
  kBind,
  kPostBind,
  kPermit,
  kPreEnqueue,
  kQueueSort,
  kPlacementGenerate,
  kPlacementScore,
  kPodGroupPostFilter,
  kUnreserve,  ///< Of v1.18 alone.
};
inline constexpr std::size_t kPoints = 16;

struct PointName {
  std::string_view field;      ///< The field of a profile's `plugins`.
  std::string_view interface;  ///< The name in upstream's errors.
};
const PointName& name_of(Point point);

/// A set of extension points; not empty.
class PointSet {
 public:
  template <class... Points>
  constexpr explicit PointSet(Point first, Points... more) : bits_((bit(first) | ... | bit(more))) {}
  constexpr bool has(Point point) const { return (bits_ & bit(point)) != 0; }

 private:
  static constexpr std::uint32_t bit(Point point) { return 1U << static_cast<unsigned>(point); }
  std::uint32_t bits_;
};

// The plugins that a KubeSchedulerConfiguration of v1 can name, one row each. Those of older versions are in
// release_plugins.h.
//
// A row has a plugin's extension points, its default weight, and the type of its arguments. For a plugin that
// Winnow runs, predicates/plugins.cc and priorities/plugins.cc have a row of the same name with the
// rule itself.
//
// Upstream: pkg/scheduler/framework/plugins/registry.go, apis/config/v1/default_plugins.go and each plugin's
// interfaces, v1.37.0 at its default feature gates. Of the removed ones: the same of v1.22.17.

struct ArgsSchema;

/// The part that a plugin has in choosing a node, and who runs it.
enum class PluginKind : std::uint8_t {
  kNotOfNodes,       ///< Queueing, preemption or binding: it neither filters nor scores.
  kInKubeScheduler,  ///< It filters or scores, and only kube-scheduler runs it.
  kInBoth,           ///< kube-scheduler's plugin, which Winnow runs too.
  kInWinnow,         ///< Winnow's own: kube-scheduler has no such plugin.
  kRemoved,          ///< kube-scheduler no longer has it, and Winnow runs it; see removed_plugins.h.
};

struct PluginRow {
  std::string_view name;
  PointSet points;
  Required<PluginKind> kind;
  /// The weight by default, 0 for none; nullopt: the plugin is disabled by default.
  std::optional<std::int32_t> default_weight = std::nullopt;
  /// Null: it takes no arguments. Otherwise upstream cannot make it without; absent ones are the defaults.
  const ArgsSchema* args = nullptr;
  std::int32_t absent_weight = 1;  ///< Where a file enables the plugin without a weight.
  bool scores_nothing = false;     ///< Its score is 0 for every node.
  /// The release's plugin has no PreFilter, and today's rule cannot do without its own.
  bool pre_filters_as_today = false;
  std::string_view rule = {};  ///< The rule's name, where it is another; see rule_of().
};

/// The name that predicates/plugins.cc and priorities/plugins.cc have for the plugin's rule.
constexpr std::string_view rule_of(const PluginRow& plugin) {
  return plugin.rule.empty() ? plugin.name : plugin.rule;
}

/// All plugins, by name.
std::span<const PluginRow> plugin_rows();
/// The row of a name; null if there is none.
const PluginRow* find_plugin_row(std::string_view name);
/// The plugins that multiPoint enables by default, in order.
std::vector<const PluginRow*> default_plugins();

/// Whether Winnow runs the plugin.
inline bool runs_here(const PluginRow& plugin) {
  return plugin.kind == PluginKind::kInBoth || plugin.kind == PluginKind::kInWinnow ||
         plugin.kind == PluginKind::kRemoved;
}

}  // namespace winnow

namespace winnow::release_plugins {

// Internal: the parts of rows that plugin_table.cc and release_plugins.cc share. Only they use these.

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
