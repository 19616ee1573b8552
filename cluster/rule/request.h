// The question that a rule is bound to.
#pragma once

#include <span>

#include "cluster/model/pod.h"
#include "cluster/rule/arguments.h"
#include "cluster/state/view.h"

namespace winnow {

/// One pod, the cluster as it is seen for this call, and the nodes asked about. Everything here outlives
/// the rules bound to it.
struct Request {
  const Pod& pod;
  const View& view;
  /// The nodes asked about, in the order asked, each once. For a priority: those that are scored.
  std::span<const NodeId> nodes;
  Accounting accounting = Accounting::kToday;
  /// The rule may refuse the pod before any node is looked at (upstream's PreFilter is enabled). A rule that
  /// does without then says of each node what its Filter alone says.
  bool pre_filters = true;
};

}  // namespace winnow
