// The table of today's plugins that score nodes.
//
// A plugin's PreScore, Score and NormalizeScore stand in the file of its concern, beside the classic rule of
// that concern. The plugins that kube-scheduler no longer has stand there too, or in resources_plugins.cc.
// Code that files share is in priorities/ or cluster/rule/. A new plugin needs a row in plugins.cc, a
// row in extender/config/plugin_table.cc, a line in CMakeLists.txt if its file is new, and a test.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "cluster/api/kinds.h"
#include "cluster/rule/arguments.h"
#include "cluster/rule/rule.h"

namespace winnow::priorities::today {

/// A plugin that fails every call. Its arguments are FailsWith.
BindPriority fails;
/// A plugin that gives every node 0.
BindPriority scores_nothing;

struct Row {
  std::string_view name;  ///< As a KubeSchedulerConfiguration names it.
  BindPriority* bind;
  Required<WatchedKinds> needs;  ///< The kinds that it reads, nodes and pods apart.
  /// The error of its Score where its PreScore is not enabled; "" if Score works without.
  std::string_view without_pre_score = {};
  BindPriority* failing = fails;  ///< What runs then, with FailsWith as its arguments.
  /// Whether its PreScore may Skip: a null binding is then a Skip. Otherwise it means "0 for every node".
  bool may_skip = true;
  /// Its error where its PreFilter is not enabled, at PreScore or else at Score; "" if they work without.
  std::string_view without_pre_filter = {};
  /// Whether it scores what its Filter has found. If Filter is not enabled, every node then gets 0.
  bool scores_its_filters = false;
};

/// The plugins in the order in which upstream's default configuration scores.
/// Upstream: pkg/scheduler/apis/config/v1/default_plugins.go v1.37.0.
std::span<const Row> plugins();

/// The row of the plugin with this name; null if there is none.
const Row* find_plugin(std::string_view name);

}  // namespace winnow::priorities::today
