// NodePorts: the host ports that the pod asks for are free on the node. A pod without host ports is skipped.
// Upstream: pkg/scheduler/framework/plugins/nodeports/node_ports.go v1.37.0.
#include "predicates/rules.h"

namespace winnow::predicates::today {

BindPredicate node_ports;

std::unique_ptr<const Predicate> node_ports(const Request& request, const Arguments& arguments) {
  return fits_host_ports(request, arguments);
}

}  // namespace winnow::predicates::today
