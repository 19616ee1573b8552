// EqualPriority: 1 for every node.
// Upstream: core/generic_scheduler.go EqualPriorityMap v1.16.15.
#include "priorities/rules.h"

namespace winnow::priorities {

BindPriority equal;

BoundPriority equal(const Request&, const Arguments&) { return std::make_unique<Constant>(1); }

}  // namespace winnow::priorities
