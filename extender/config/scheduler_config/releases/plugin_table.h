// The plugins that a KubeSchedulerConfiguration of v1 can name, one row each. Those of older versions are in
// release_plugins.h.
//
// A row has a plugin's extension points, its default weight, and the type of its arguments. For a plugin that
// Winnow runs, predicates/today/table.cc and priorities/today/table.cc have a row of the same name with the
// rule itself.
//
// Upstream: pkg/scheduler/framework/plugins/registry.go, apis/config/v1/default_plugins.go and each plugin's
// interfaces, v1.37.0 at its default feature gates. Of the removed ones: the same of v1.22.17.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "cluster/rule/required.h"
#include "extender/config/scheduler_config/releases/extension_points.h"

namespace winnow {

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

/// The name that predicates/today/table.cc and priorities/today/table.cc have for the plugin's rule.
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
