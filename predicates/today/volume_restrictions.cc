#include "predicates/rules.h"

namespace winnow::predicates::today {

BindPredicate volume_restrictions;

std::unique_ptr<const Predicate> volume_restrictions(const Request&, const Arguments&) { return nullptr; }

}  // namespace winnow::predicates::today
