#include "predicates/rules.h"

namespace winnow::predicates::today {

BindPredicate taint_toleration;

std::unique_ptr<const Predicate> taint_toleration(const Request&, const Arguments&) { return nullptr; }

}  // namespace winnow::predicates::today
