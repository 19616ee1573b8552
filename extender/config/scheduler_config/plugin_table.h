// The plugins that a KubeSchedulerConfiguration can name: a row for each.
//
// A row says where a plugin runs, whether it is on by default, and which arguments it takes. Where Winnow
// runs it, predicates/today/table.cc and priorities/today/table.cc have a row of the same name with the rule
// itself.
//
// Upstream: pkg/scheduler/framework/plugins/registry.go, apis/config/v1/default_plugins.go and each plugin's
// interfaces, v1.37.0 at its default feature gates.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "cluster/rule/required.h"
#include "extender/config/scheduler_config/extension_points.h"

namespace winnow {

struct ArgsSchema;

enum class PluginKind : std::uint8_t {
  kNotOfNodes,       ///< Queueing, preemption, binding: it says nothing of nodes.
  kInKubeScheduler,  ///< It decides about nodes, and Winnow does not run it: it stays in kube-scheduler.
  kInBoth,           ///< kube-scheduler's, and Winnow runs it too.
  kInWinnow,         ///< Winnow's own: kube-scheduler has no such plugin.
};

struct PluginRow {
  std::string_view name;
  PointSet points;
  Required<PluginKind> kind;
  /// Its weight where a profile says nothing, 0 for none given; nullopt: it is off then.
  std::optional<std::int32_t> default_weight = std::nullopt;
  /// Null: it takes none. Otherwise it cannot be made without; those missing are the default ones.
  const ArgsSchema* args = nullptr;
};

/// All plugins, by name.
std::span<const PluginRow> plugin_rows();
/// The row of a name; null if there is none.
const PluginRow* find_plugin_row(std::string_view name);
/// Those that multiPoint enables where a profile says nothing, in order.
std::vector<const PluginRow*> default_plugins();

/// Whether Winnow runs it.
inline bool runs_here(const PluginRow& plugin) {
  return plugin.kind == PluginKind::kInBoth || plugin.kind == PluginKind::kInWinnow;
}

}  // namespace winnow
