// A pod's topology spread constraints, as v1.16 reads them.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/rule/node_matcher.h"

namespace winnow {

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

}  // namespace winnow
