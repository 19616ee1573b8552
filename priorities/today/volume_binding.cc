#include "priorities/rules.h"

namespace winnow::priorities::today {

BindPriority volume_binding;

BoundPriority volume_binding(const Request&, const Arguments&) { return nullptr; }

}  // namespace winnow::priorities::today
