// The DaemonSets of a cluster and of files, whose pods come first on each node that is added.
#pragma once

#include <string_view>
#include <vector>

#include "cluster/expand/pod_set.h"
#include "cluster/state/row_values.h"

namespace winnow {

class State;
struct Node;

struct KnownDaemonSet {
  PodSet pods;
  /// It is known by its pods alone. Some node has none of them, though nodeSelector and tolerations allow
  /// one. So the template has a required node affinity, which pods do not show, and it may leave out new
  /// nodes too.
  bool is_unsure = false;

  /// "namespace/name"
  std::string_view name() const;
};

/// A state keeps no DaemonSets. They are told by the pods that have one as their controller; of several
/// templates by the newest.
class DaemonSets {
 public:
  /// Finds those of the state: with pods on nodes, and pending. Pods that are being deleted do not count.
  explicit DaemonSets(const State& state);

  /// Adds one of a file, which replaces the cluster's of its name. Sets of other objects are ignored.
  void add(const PodSet& set);
  /// The pods that come on a node of the state that was added, one of each set. Those of the highest priority
  /// are first, then those of the first name.
  std::vector<KnownDaemonSet> on_new_node(const State& state, NodeId node) const;
  /// The same of a node that no state has.
  std::vector<KnownDaemonSet> on_new_node(const Node& node) const;

 private:
  void sort();

  std::vector<KnownDaemonSet> sets_;  ///< In that order.
};

}  // namespace winnow
