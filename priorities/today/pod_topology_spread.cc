#include "priorities/rules.h"

namespace winnow::priorities::today {

BindPriority pod_topology_spread;

BoundPriority pod_topology_spread(const Request&, const Arguments&) { return nullptr; }

}  // namespace winnow::priorities::today
