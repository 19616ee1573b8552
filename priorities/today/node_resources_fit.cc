#include "priorities/rules.h"

namespace winnow::priorities::today {

BindPriority node_resources_fit;

BoundPriority node_resources_fit(const Request&, const Arguments&) { return nullptr; }

}  // namespace winnow::priorities::today
