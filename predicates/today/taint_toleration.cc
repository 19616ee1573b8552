// TaintToleration: the pod tolerates the node's NoSchedule and NoExecute taints. Which one it does not is
// told to the log alone. (What PreFilter skips hangs on a gate that is off, and so do tolerations that
// compare.) Upstream: pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go v1.37.0.
#include "predicates/rules.h"

namespace winnow::predicates::today {

BindPredicate taint_toleration;

std::unique_ptr<const Predicate> taint_toleration(const Request& request, const Arguments&) {
  return tolerates_taints(request, {"NoSchedule", "NoExecute"}, "node(s) had untolerated taint(s)");
}

}  // namespace winnow::predicates::today
