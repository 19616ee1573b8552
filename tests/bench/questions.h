// What each rule is asked by the benchmarks: a pod about which it has something to say.
#pragma once

#include <string_view>
#include <vector>

#include "cluster/rule/reasons.h"
#include "cluster/rule/rule.h"
#include "cluster/state/cluster_cache.h"
#include "cluster/state/view.h"
#include "tests/bench/sample.h"

namespace winnow::bench {

/// A rule, and the pod that it is asked about.
template <class Bind>
struct Case {
  std::string_view rule;
  Bind* bind;
  bool is_plugin;  ///< Else it is a classic rule.
  Asked kind;
};

/// The rules that are timed: all records but for those of classic rules that take an argument. A plugin has
/// a case for each kind of pod for which it takes another way.
std::vector<Case<BindPredicate>> predicate_cases();
std::vector<Case<BindPriority>> priority_cases();

/// Outlives the rule that is bound to its request.
struct Question {
  Question(std::string_view rule, const Sample& sample, const ClusterCache& cache, Asked kind);
  Request request() const { return {pod, view, nodes, Accounting::kToday, true, &lists}; }

  Pod pod;
  ClusterCache::ReadGuard reader;
  View view{*reader};
  std::vector<NodeId> nodes = view.all_nodes();
  mutable ReasonLists lists;
};

}  // namespace winnow::bench
