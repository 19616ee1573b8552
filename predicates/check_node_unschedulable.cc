// CheckNodeUnschedulable: the node is not cordoned, or the pod tolerates the taint of cordoned nodes.
// Upstream: predicates.go CheckNodeUnschedulablePredicate v1.16.15.
#include "predicates/rules.h"

namespace winnow::predicates {

std::unique_ptr<const Predicate> check_node_unschedulable(const Request& request, const Arguments&) {
  static const Taint cordoned{"node.kubernetes.io/unschedulable", "", "NoSchedule"};
  if (tolerates(request.pod.spec.tolerations, cordoned)) return nullptr;
  return fails_on_flag(request.view, kUnschedulable, "node(s) were unschedulable");
}

}  // namespace winnow::predicates
