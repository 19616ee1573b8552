// NodeName: the pod's spec.nodeName is empty or is this node. PreFilter leaves only the named node.
// Upstream: pkg/scheduler/framework/plugins/nodename/node_name.go v1.37.0.
#include "predicates/rules.h"

namespace winnow::predicates::today {

BindPredicate node_name;

std::unique_ptr<const Predicate> node_name(const Request& request, const Arguments&) {
  return is_named_node(request, "node(s) didn't match the requested node name");
}

}  // namespace winnow::predicates::today
