#include "predicates/rules.h"

namespace winnow::predicates::today {

BindPredicate node_resources_fit;

std::unique_ptr<const Predicate> node_resources_fit(const Request&, const Arguments&) { return nullptr; }

}  // namespace winnow::predicates::today
