// PodToleratesNodeTaints: the pod tolerates the node's NoSchedule and NoExecute taints.
// Upstream: predicates.go PodToleratesNodeTaints v1.16.15.
#include "predicates/rules.h"

namespace winnow::predicates {

BindPredicate pod_tolerates_node_taints;

std::unique_ptr<const Predicate> pod_tolerates_node_taints(const Request& request, const Arguments&) {
  return tolerates_taints(request, {"NoSchedule", "NoExecute"},
                          "node(s) had taints that the pod didn't tolerate");
}

}  // namespace winnow::predicates
