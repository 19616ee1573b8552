#include "priorities/rules.h"

namespace winnow::priorities::today {

BindPriority node_resources_balanced_allocation;

BoundPriority node_resources_balanced_allocation(const Request&, const Arguments&) { return nullptr; }

}  // namespace winnow::priorities::today
