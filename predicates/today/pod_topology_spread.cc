#include "predicates/rules.h"

namespace winnow::predicates::today {

BindPredicate pod_topology_spread;

std::unique_ptr<const Predicate> pod_topology_spread(const Request&, const Arguments&) { return nullptr; }

}  // namespace winnow::predicates::today
