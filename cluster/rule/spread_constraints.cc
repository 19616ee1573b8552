#include "cluster/rule/spread_constraints.h"

#include <algorithm>
#include <set>

namespace winnow {

std::vector<SpreadConstraint> spread_constraints(const PodSpec& pod, std::string_view when_unsatisfiable) {
  std::vector<SpreadConstraint> constraints;
  for (const TopologySpreadConstraint& written : pod.topology_spread_constraints)
    if (written.when_unsatisfiable == when_unsatisfiable)
      constraints.push_back(
          {written.topology_key, written.skew_in_force(), parse_label_selector(written.label_selector)});
  return constraints;
}

SpreadNodes::SpreadNodes(const View& view, const PodSpec& pod,
                         const std::vector<SpreadConstraint>& constraints)
    : matcher_(view, pod) {
  std::set<std::string_view> seen;
  for (const SpreadConstraint& constraint : constraints)
    if (seen.insert(constraint.topology_key).second) keys_.push_back(view.label(constraint.topology_key));
}

bool SpreadNodes::has_keys(NodeId node) const {
  return std::ranges::all_of(keys_, [&](const Column<Symbol>& key) { return key[node] != kNone; });
}

}  // namespace winnow
