// The request that a rule is bound to: one pod, the cluster and the nodes asked about.
#pragma once

#include <span>

#include "cluster/api/pod.h"
#include "cluster/rule/budget.h"
#include "cluster/state/view.h"

namespace winnow {

class ReasonLists;

/// The input of a rule. Pod, view and nodes must outlive map() and reduce() of the rules bound to them.
struct Request {
  const Pod& pod;
  const View& view;
  /// The nodes asked about, in the order asked, each once. For a priority: those that are scored.
  std::span<const NodeId> nodes;
  Accounting accounting = Accounting::kToday;
  /// Whether upstream's PreFilter is enabled for the rule. If not, a rule whose Filter works without it must
  /// judge each node as that Filter alone does. The engine then ignores refuses_pod() and only().
  bool pre_filters = true;
  /// Takes the reasons that do not fit into a verdict. Required for filter rules; must outlive them.
  ReasonLists* reason_lists = nullptr;
  /// The cluster before pods were taken from it, or nominated ones added, in thought; null: that is `view`.
  /// Upstream's v1.16 computes its metadata for that one, and then follows the changes.
  const View* before = nullptr;
  /// The time for the request; null: unlimited. A rule whose loops grow with the pod checks it in them.
  const Budget* budget = nullptr;

  /// Throws OutOfTime if the time is over.
  void check_time() const {
    if (budget) budget->check();
  }
};

}  // namespace winnow
