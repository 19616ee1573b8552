// TaintToleration: the pod tolerates the node's NoSchedule and NoExecute taints. As upstream, the reason does
// not name the taint. Upstream's Skip, and tolerations with Gt and Lt, depend on gates that are off.
// Upstream: pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go v1.37.0.
#include "predicates/rules.h"

namespace winnow::predicates::today {

BindPredicate taint_toleration;

std::unique_ptr<const Predicate> taint_toleration(const Request& request, const Arguments&) {
  return tolerates_taints(request, {"NoSchedule", "NoExecute"}, "node(s) had untolerated taint(s)");
}

}  // namespace winnow::predicates::today
