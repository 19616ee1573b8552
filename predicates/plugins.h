// The table of today's plugins that filter nodes, and the pods that an eviction can turn a verdict about.
//
// A function here reads pods exactly as its plugin's Filter does. Upstream: the plugins' own files v1.37.0.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "cluster/api/kinds.h"
#include "cluster/api/pod.h"
#include "cluster/rule/arguments.h"
#include "cluster/rule/rule.h"

namespace winnow::predicates::today {

/// Whether the plugin's verdict about the pod may hang on these victims, which are on the node.
using TurnedByEviction = bool(const PodSpec& pod, std::span<const PodSpec* const> victims);

/// ServiceAffinity: always, for the first pod like it may be evicted.
TurnedByEviction always;
/// NodeResourcesFit: always, for a node has room for so many pods.
TurnedByEviction needs_room;
/// NodePorts: the pod asks for host ports.
TurnedByEviction needs_host_ports;
/// InterPodAffinity: the pod has required terms, or a victim keeps pods away.
TurnedByEviction is_joined_or_kept_apart;
/// PodTopologySpread: the pod has hard constraints.
TurnedByEviction is_spread;
/// VolumeRestrictions and NodeVolumeLimits: the pod has volumes that are more than files of the node.
TurnedByEviction has_volumes;

// The table of today's plugins that filter nodes.
//
// A plugin's PreFilter and Filter stand in the file of their concern, or beside it in a file …_plugin.cc.
// So do those of plugins that kube-scheduler no longer has. Code that files share is in predicates/ or
// cluster/rule/. A new plugin needs a row in plugins.cc, a row of kFollowing in
// predicates/table.cc, a row in extender/config/plugin_table.cc, a line in
// CMakeLists.txt if its file is new, and a test.

/// Who filters where Winnow decides alone: with --answer=best, and manifests/kube-scheduler-best.yaml.
enum class Best : std::uint8_t {
  kWinnow,         ///< The file switches the plugin off in kube-scheduler.
  kKubeScheduler,  ///< The plugin stays on there: preemption or reserving needs it. Winnow filters as well.
  kOwn,            ///< kube-scheduler has no such plugin: it is Winnow's own, and runs where it is enabled.
};

/// Which classic predicates check what a plugin checks.
struct ClassicCheck {
  std::string_view predicate;          ///< The one to name; "": there is none.
  std::string_view also = {};          ///< Another one that does.
  std::string_view lacking = {};       ///< What of the plugin's check these do not know; "": nothing.
  bool skips_init_containers = false;  ///< They read a pod's containers alone.
};

/// Whether, with these arguments, the Filter reads what the PreFilter has prepared.
using UsesPreFilter = bool(const Arguments&);

struct Row {
  std::string_view name;  ///< As a KubeSchedulerConfiguration names it.
  BindPredicate* bind;
  Required<WatchedKinds> needs;       ///< The kinds that it reads, nodes and pods apart.
  Required<std::string_view> checks;  ///< What goes unchecked without it, for messages: `no rule for …`.
  ClassicCheck classic;
  Required<Best> best;
  Required<TurnedByEviction*> turned_by_eviction;  ///< Null: no eviction turns its verdict.
  /// The error of its Filter where its PreFilter is not enabled; "" if the Filter works without.
  std::string_view without_pre_filter = {};
  UsesPreFilter* uses_pre_filter = nullptr;  ///< Null: whatever its arguments are.
  /// Whether its PreFilter may Skip: a null binding is then a Skip. Otherwise it means "fits everywhere".
  bool may_skip = true;
};

/// The plugins in the order in which upstream's default configuration filters.
/// Upstream: pkg/scheduler/apis/config/v1/default_plugins.go v1.37.0.
std::span<const Row> plugins();

/// The row of the plugin with this name; null if there is none.
const Row* find_plugin(std::string_view name);

/// A plugin whose every verdict is an error. Its arguments are FailsWith.
BindPredicate fails;

}  // namespace winnow::predicates::today
