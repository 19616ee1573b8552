#include "predicates/rules.h"

namespace winnow::predicates::today {

BindPredicate inter_pod_affinity;

std::unique_ptr<const Predicate> inter_pod_affinity(const Request&, const Arguments&) { return nullptr; }

}  // namespace winnow::predicates::today
