// A pod's topology spread constraints, as v1.16 and as today's PodTopologySpread plugin read them.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/rule/node_matcher.h"
#include "cluster/state/pod_groups.h"

namespace winnow {

class Workloads;
struct Pod;
struct PodSpec;
struct PodTopologySpreadArgs;
struct Request;

struct SpreadConstraint {
  std::string topology_key;
  std::int32_t max_skew = 0;
  /// The selector, or v1.16.15's error for an invalid one. An absent selector matches nothing.
  std::expected<Selector, std::string> selector;
};

/// The pod's constraints with this whenUnsatisfiable (DoNotSchedule, ScheduleAnyway), in the order written.
/// Upstream: predicates/metadata.go getHardTopologySpreadConstraints, priorities/even_pods_spread.go
/// getSoftTopologySpreadConstraints v1.16.15.
std::vector<SpreadConstraint> spread_constraints(const PodSpec& pod, std::string_view when_unsatisfiable);

inline constexpr std::string_view kDoNotSchedule = "DoNotSchedule";
inline constexpr std::string_view kScheduleAnyway = "ScheduleAnyway";

/// The nodes whose pods count. The pod may run on them by its nodeSelector and required node affinity, and
/// they have every constraint's topology key. The view must outlive the object.
class SpreadNodes {
 public:
  SpreadNodes(const View& view, const PodSpec& pod, const std::vector<SpreadConstraint>& constraints);

  /// Whether the node has every constraint's topology key.
  /// Upstream: predicates/metadata.go NodeLabelsMatchSpreadConstraints v1.16.15.
  bool has_keys(NodeId node) const;
  /// Whether the node's pods count.
  bool contains(NodeId node) const { return has_keys(node) && matcher_.matches(node); }

 private:
  const PodNodeMatcher matcher_;
  std::vector<Column<Symbol>> keys_;
};

// A pod's topology spread constraints, as today's PodTopologySpread plugin reads them.

/// One constraint, with its selector parsed and its defaults filled in.
/// Upstream: pkg/scheduler/framework/plugins/podtopologyspread/common.go topologySpreadConstraint v1.37.0.
struct TopologyConstraint {
  std::string topology_key;
  std::int32_t max_skew = 0;
  std::int32_t min_domains = 1;
  Selector selector;
  bool honours_affinity = true;  ///< Nodes that do not match the pod's node affinity do not count.
  bool honours_taints = false;   ///< Nodes with a taint that the pod does not tolerate do not count.

  /// The pods that the constraint counts: those of the namespace that match and are not being deleted. As
  /// upstream, a selector that matches everything counts no pod, although it matches the pod itself.
  PodQuery counted(const std::string& ns) const {
    return {{ns}, selector.is_everything() ? Selector::nothing() : selector, false};
  }
};

/// The pod's own constraints of a kind. A pod without constraints of any kind gets the configuration's
/// constraints, with default_selector(); they do not apply if that selector is everything.
/// @param when_unsatisfiable  kDoNotSchedule or kScheduleAnyway.
/// @return the constraints, or upstream's error for an invalid selector.
/// Upstream: podtopologyspread/{common,plugin}.go v1.37.0.
std::expected<std::vector<TopologyConstraint>, std::string> topology_constraints(
    const Request& request, const PodTopologySpreadArgs& args, std::string_view when_unsatisfiable);

/// The selectors of the Services that match the pod and of its controller, in one: all must match. Everything
/// if there are none. Upstream: plugins/helper/spread.go DefaultSelector v1.37.0.
Selector default_selector(const Workloads& workloads, const Pod& pod);

/// The nodes whose pods count, constraint by constraint. The view must outlive the object.
class CountedNodes {
 public:
  CountedNodes(const Request& request, const std::vector<TopologyConstraint>& constraints);

  /// Whether the node has every constraint's topology key.
  bool has_keys(NodeId node) const;
  /// Whether the constraint's nodeAffinityPolicy and nodeTaintsPolicy let the node count.
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
