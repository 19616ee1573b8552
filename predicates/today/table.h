// The table of today's plugins that filter nodes.
//
// predicates/today/ has one plugin a file, with its PreFilter and its Filter. predicates/removed/ has those
// that kube-scheduler no longer has. Code that it shares with a classic rule is in predicates/ or
// cluster/rule/. A new plugin needs its file, a row in table.cc, a row in
// predicates/trials.cc, a row in extender/config/scheduler_config/releases/plugin_table.cc, a line in
// CMakeLists.txt, and a test.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "cluster/api/needs.h"
#include "cluster/rule/predicate.h"
#include "cluster/rule/required.h"
#include "predicates/today/eviction.h"

namespace winnow::predicates::today {

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
  Required<Needs> needs;              ///< The kinds that it reads, nodes and pods apart.
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
