// A pod's topology spread constraints, as today's plugin reads them.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "cluster/rule/arguments.h"
#include "cluster/rule/node_matcher.h"
#include "cluster/rule/request.h"
#include "cluster/rule/spread_constraints.h"
#include "cluster/rule/tolerated_taints.h"

namespace winnow {

/// Upstream: pkg/scheduler/framework/plugins/podtopologyspread/common.go topologySpreadConstraint v1.37.0.
struct TopologyConstraint {
  std::string topology_key;
  std::int32_t max_skew = 0;
  std::int32_t min_domains = 1;
  Selector selector;
  bool honours_affinity = true;  ///< Nodes that the pod's node affinity leaves out do not count.
  bool honours_taints = false;   ///< Nor do those whose taints keep the pod away.

  /// The pods that it counts: of the namespace, and not being deleted. One that asks for everything counts
  /// none, although it matches the pod itself.
  PodQuery counted(const std::string& ns) const {
    return {{ns}, selector.is_everything() ? Selector::nothing() : selector, false};
  }
};

/// The pod's own constraints of a kind (kDoNotSchedule, kScheduleAnyway); where it has none of any kind, the
/// configuration's, with the selector that the pod's services and its controller give.
/// @return or what is wrong with a selector.
/// Upstream: podtopologyspread/{common,plugin}.go v1.37.0.
std::expected<std::vector<TopologyConstraint>, std::string> topology_constraints(
    const Request& request, const PodTopologySpreadArgs& args, std::string_view when_unsatisfiable);

/// The selectors of the services that match the pod and of its controller, all of which must match;
/// everything where there is none. Upstream: plugins/helper/spread.go DefaultSelector v1.37.0.
Selector default_selector(const Workloads& workloads, const Pod& pod);

/// Which nodes' pods count for which constraint. The view outlives it.
class CountedNodes {
 public:
  CountedNodes(const Request& request, const std::vector<TopologyConstraint>& constraints);

  /// The node has every constraint's topology key.
  bool has_keys(NodeId node) const;
  /// The constraint's policies let the node count.
  bool follows(const TopologyConstraint& constraint, NodeId node) const {
    return (!constraint.honours_affinity || affinity_.is_everything() || affinity_.matches(node)) &&
           (!constraint.honours_taints || taints_.tolerates(node));
  }

 private:
  const PodNodeMatcher affinity_;
  const ToleratedTaints taints_;
  std::vector<Column<Symbol>> keys_;
};

}  // namespace winnow
