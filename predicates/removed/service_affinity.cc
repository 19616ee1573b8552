// ServiceAffinity as a filter: the classic CheckServiceAffinity for the labels of affinityLabels. A pod on an
// unknown node does not count.
// Upstream: plugins/serviceaffinity/service_affinity.go v1.22.17. There the first pod depends on the order of
// nodes in the scheduler's cache; here it is the first by name.
#include "cluster/rule/arguments.h"
#include "predicates/rules.h"

namespace winnow::predicates::removed {

BindPredicate service_affinity;

/// Whether the filter reads what its PreFilter has prepared; see predicates/today/table.h.
bool has_affinity_labels(const Arguments& arguments);

bool has_affinity_labels(const Arguments& arguments) {
  const auto* const args = std::get_if<ServiceAffinityArgs>(&arguments);
  return args != nullptr && !args->affinity_labels.empty();
}

std::unique_ptr<const Predicate> service_affinity(const Request& request, const Arguments& arguments) {
  if (!has_affinity_labels(arguments)) return nullptr;
  return keeps_service_together(request, std::get<ServiceAffinityArgs>(arguments).affinity_labels,
                                Generation::kToday);
}

}  // namespace winnow::predicates::removed
