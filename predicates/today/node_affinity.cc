#include "predicates/rules.h"

namespace winnow::predicates::today {

BindPredicate node_affinity;

std::unique_ptr<const Predicate> node_affinity(const Request&, const Arguments&) { return nullptr; }

}  // namespace winnow::predicates::today
