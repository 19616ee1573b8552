// CheckNodePIDPressure: the node does not report PID pressure.
// Upstream: predicates.go CheckNodePIDPressurePredicate v1.16.15.
#include "predicates/rules.h"

namespace winnow::predicates {

BindPredicate check_node_pid_pressure;

std::unique_ptr<const Predicate> check_node_pid_pressure(const Request& request, const Arguments&) {
  return fails_on_flag(request.view, kPidPressure, "node(s) had pid pressure");
}

}  // namespace winnow::predicates
