// CheckNodeMemoryPressure: the node does not report memory pressure, or the pod is not BestEffort.
// Upstream: predicates.go CheckNodeMemoryPressurePredicate v1.16.15.
#include "predicates/rules.h"

namespace winnow::predicates {

BindPredicate check_node_memory_pressure;

std::unique_ptr<const Predicate> check_node_memory_pressure(const Request& request, const Arguments&) {
  if (!is_best_effort(request.pod, request.accounting)) return nullptr;
  return fails_on_flag(request.view, kMemoryPressure, "node(s) had memory pressure");
}

}  // namespace winnow::predicates
