#include "predicates/rules.h"

namespace winnow::predicates::today {

BindPredicate node_volume_limits;

std::unique_ptr<const Predicate> node_volume_limits(const Request&, const Arguments&) { return nullptr; }

}  // namespace winnow::predicates::today
