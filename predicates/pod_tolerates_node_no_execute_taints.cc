// PodToleratesNodeNoExecuteTaints: the pod tolerates the node's NoExecute taints.
// Upstream: predicates.go PodToleratesNodeNoExecuteTaints v1.16.15 (defined there, but never registered).
#include "predicates/rules.h"

namespace winnow::predicates {

BindPredicate pod_tolerates_node_no_execute_taints;

std::unique_ptr<const Predicate> pod_tolerates_node_no_execute_taints(const Request& request,
                                                                      const Arguments&) {
  return tolerates_taints(request, {"NoExecute"}, "node(s) had taints that the pod didn't tolerate");
}

}  // namespace winnow::predicates
