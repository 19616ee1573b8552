// Where a pod should run, by today's plugins: the table of those that score.
//
// priorities/today/ has one plugin a file, its PreScore, Score and NormalizeScore together; what it shares
// with the classic rule of the same matter stands in priorities/ or cluster/rule/. To add one: its file, its
// row in table.cc, its line in CMakeLists.txt, its test.
#pragma once

#include <span>

#include "cluster/rule/needs.h"
#include "cluster/rule/priority.h"

namespace winnow::priorities::today {

struct Row {
  std::string_view name;  ///< As a KubeSchedulerConfiguration names it.
  BindPriority* bind;
  Needs needs = {};         ///< Beside nodes and pods.
  std::int64_t weight = 1;  ///< Of upstream's default configuration.
  /// Its error where Score is enabled and PreScore is not; "": it does without.
  std::string_view without_pre_score = "";
  /// Its PreScore may Skip: that is what binding to null means. Otherwise null is "0 everywhere".
  bool may_skip = true;
  /// Its error, at PreScore or else at Score, where its PreFilter is not enabled; "": it does without.
  std::string_view without_pre_filter = "";
  /// It scores what its Filter has found: where that is not enabled, 0 everywhere.
  bool scores_its_filters = false;
};

/// The plugins in the order in which upstream's default configuration scores.
/// Upstream: pkg/scheduler/apis/config/v1/default_plugins.go v1.37.0.
std::span<const Row> plugins();

/// The row of a name; null if there is none.
const Row* find_plugin(std::string_view name);

/// A plugin that fails wherever it is asked; takes FailsWith.
BindPriority fails;
/// A plugin that scores 0 wherever it is asked.
BindPriority scores_nothing;

}  // namespace winnow::priorities::today
