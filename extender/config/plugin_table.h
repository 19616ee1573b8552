// Internal to extender/config: the plugins that a KubeSchedulerConfiguration can name, in each release. Only
// .cc files and headers of extender/config include this.
//
// A row of a plugin that Winnow runs is made of its records in predicates/ and priorities/. The others stand
// in plugin_table.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "cluster/rule/releases.h"

namespace winnow {

struct PointName {
  std::string_view field;      ///< The field of a profile's `plugins`.
  std::string_view interface;  ///< The name in upstream's errors.
};
const PointName& name_of(Point point);

/// The part that a plugin has in choosing a node, and who runs it.
enum class PluginKind : std::uint8_t {
  kNotOfNodes,       ///< Queueing, preemption or binding: it neither filters nor scores.
  kInKubeScheduler,  ///< It filters or scores, and only kube-scheduler runs it.
  kInBoth,           ///< kube-scheduler's plugin, which Winnow runs too.
  kInWinnow,         ///< Winnow's own: kube-scheduler has no such plugin.
  kRemoved,          ///< kube-scheduler no longer has it, and Winnow runs it; see removed_plugins.h.
};

/// A plugin as one release has it.
struct PluginRow {
  std::string_view name;
  PointSet points;
  PluginKind kind;
  const ArgsSchema* args = nullptr;   ///< See SinceRelease.
  std::int32_t weight = 0;            ///< In the release's default profile; 0: it is not there, or has none.
  std::int32_t absent_weight = 1;     ///< Where a v1 file enables the plugin without a weight.
  bool scores_nothing = false;        ///< Its score is 0 for every node.
  bool pre_filters_as_today = false;  ///< See SinceRelease.
  std::string_view rule = {};         ///< The name of its records.
};

/// The plugins of a release, by name.
std::span<const PluginRow> plugins_of(Release release);
/// Those of 1.37, with the removed ones and Winnow's own.
inline std::span<const PluginRow> plugin_rows() { return plugins_of(Release::k1_37); }
/// The row of a name in 1.37; null if there is none.
const PluginRow* find_plugin_row(std::string_view name);

/// Whether Winnow runs the plugin.
inline bool runs_here(const PluginRow& plugin) {
  return plugin.kind == PluginKind::kInBoth || plugin.kind == PluginKind::kInWinnow ||
         plugin.kind == PluginKind::kRemoved;
}

}  // namespace winnow
