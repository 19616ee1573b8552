#include "priorities/rules.h"

namespace winnow::priorities::today {

BindPriority image_locality;

BoundPriority image_locality(const Request&, const Arguments&) { return nullptr; }

}  // namespace winnow::priorities::today
