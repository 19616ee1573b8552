// NodeUnschedulable: the node is not cordoned, or the pod tolerates the taint of cordoned nodes. Upstream's
// PreFilter skips pods only with the gate InPlacePodVerticalScalingSchedulerPreemption, which is off.
// Upstream: pkg/scheduler/framework/plugins/nodeunschedulable/node_unschedulable.go v1.37.0.
#include "predicates/rules.h"

namespace winnow::predicates::today {

BindPredicate node_unschedulable;

std::unique_ptr<const Predicate> node_unschedulable(const Request& request, const Arguments& arguments) {
  return check_node_unschedulable(request, arguments);
}

}  // namespace winnow::predicates::today
