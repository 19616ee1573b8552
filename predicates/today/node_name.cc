#include "predicates/rules.h"

namespace winnow::predicates::today {

BindPredicate node_name;

std::unique_ptr<const Predicate> node_name(const Request&, const Arguments&) { return nullptr; }

}  // namespace winnow::predicates::today
