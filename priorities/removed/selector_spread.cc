// SelectorSpread: avoids nodes and zones that have many pods of the same Services and controller. It is the
// classic SelectorSpreadPriority with 100 for 10, and differs in three points. All Services and the pod's
// controller, by its owner reference, are one selector: a pod counts that all of them match. A pod with
// topology spread constraints of its own gets 0 on every node. Zones are read from both generations of
// labels.
// Upstream: plugins/selectorspread/selector_spread.go, plugins/helper/spread.go v1.22.17.
#include "cluster/rule/arguments.h"
#include "cluster/rule/topology_spread.h"
#include "priorities/rules.h"

namespace winnow::priorities::removed {

BindPriority selector_spread, selector_spread_without_pre_score;

BoundPriority selector_spread(const Request& request, const Arguments&) {
  if (!request.pod.spec.topology_spread_constraints.empty()) return nullptr;
  const Selector selector = default_selector(request.view.workloads(), request.pod);
  std::vector<std::int32_t> counts;
  if (!selector.is_everything()) counts = request.view.count_pods(request.pod.metadata.namespace_, selector);
  return spreads_pods(request.view, std::move(counts), kMaxNodeScore);
}

BoundPriority selector_spread_without_pre_score(const Request& request, const Arguments& arguments) {
  if (!request.pod.spec.topology_spread_constraints.empty()) return nullptr;
  return std::unexpected(std::get<FailsWith>(arguments).error);
}

}  // namespace winnow::priorities::removed
