#include "predicates/rules.h"

namespace winnow::predicates::today {

BindPredicate volume_zone;

std::unique_ptr<const Predicate> volume_zone(const Request&, const Arguments&) { return nullptr; }

}  // namespace winnow::predicates::today
