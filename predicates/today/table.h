// Where a pod may run, by today's plugins: the table of those that filter.
//
// predicates/today/ has one plugin a file, its PreFilter and its Filter together; what it shares with the
// classic rule of the same matter stands in predicates/ or cluster/rule/. To add one: its file, its row in
// table.cc, its line in CMakeLists.txt, its test.
#pragma once

#include <span>

#include "cluster/rule/needs.h"
#include "cluster/rule/predicate.h"

namespace winnow::predicates::today {

struct Row {
  std::string_view name;  ///< As a KubeSchedulerConfiguration names it.
  BindPredicate* bind;
  Needs needs = {};  ///< Beside nodes and pods.
  /// Its error where Filter is enabled and PreFilter is not; "": it does without.
  std::string_view without_pre_filter = "";
  /// Its PreFilter may Skip: that is what binding to null means. Otherwise null is "fits everywhere".
  bool may_skip = true;
};

/// The plugins in the order in which upstream's default configuration filters.
/// Upstream: pkg/scheduler/apis/config/v1/default_plugins.go v1.37.0.
std::span<const Row> plugins();

/// The row of a name; null if there is none.
const Row* find_plugin(std::string_view name);

/// A plugin that fails wherever it is asked; takes FailsWith.
BindPredicate fails;

}  // namespace winnow::predicates::today
