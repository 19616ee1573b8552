#include "predicates/rules.h"

namespace winnow::predicates::today {

BindPredicate volume_binding;

std::unique_ptr<const Predicate> volume_binding(const Request&, const Arguments&) { return nullptr; }

}  // namespace winnow::predicates::today
