// CheckNodeDiskPressure: the node does not report disk pressure.
// Upstream: predicates.go CheckNodeDiskPressurePredicate v1.16.15.
#include "predicates/rules.h"

namespace winnow::predicates {

BindPredicate check_node_disk_pressure;

std::unique_ptr<const Predicate> check_node_disk_pressure(const Request& request, const Arguments&) {
  return fails_on_flag(request.view, kDiskPressure, "node(s) had disk pressure");
}

}  // namespace winnow::predicates
