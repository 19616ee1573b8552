// EBSLimits: a node has at most 39 EBS volumes attached, or 25 if its instance type is a nitro type, unless
// it sets another limit (see max_volume_count). Both labels of the instance type are read; where they differ,
// upstream takes either, and here it is the stable one. Upstream: plugins/nodevolumelimits/non_csi.go
// v1.22.17 at its default feature gates.
#include "predicates/volume_counts.h"

namespace winnow::predicates::removed {

BindPredicate ebs_limits;

std::unique_ptr<const Predicate> ebs_limits(const Request& request, const Arguments&) {
  return max_volume_count(
      request, {.limit = kEbsLimit, .default_limit = default_ebs_limit(request, /*stable_label=*/true)});
}

}  // namespace winnow::predicates::removed
