#include "predicates/rules.h"

namespace winnow::predicates::today {

BindPredicate node_unschedulable;

std::unique_ptr<const Predicate> node_unschedulable(const Request&, const Arguments&) { return nullptr; }

}  // namespace winnow::predicates::today
