#include "predicates/rules.h"

namespace winnow::predicates::today {

BindPredicate node_declared_features;

std::unique_ptr<const Predicate> node_declared_features(const Request&, const Arguments&) { return nullptr; }

}  // namespace winnow::predicates::today
