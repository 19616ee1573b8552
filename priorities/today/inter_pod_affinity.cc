#include "priorities/rules.h"

namespace winnow::priorities::today {

BindPriority inter_pod_affinity;

BoundPriority inter_pod_affinity(const Request&, const Arguments&) { return nullptr; }

}  // namespace winnow::priorities::today
