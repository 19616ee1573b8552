#include "priorities/rules.h"

namespace winnow::priorities::today {

BindPriority node_affinity;

BoundPriority node_affinity(const Request&, const Arguments&) { return nullptr; }

}  // namespace winnow::priorities::today
