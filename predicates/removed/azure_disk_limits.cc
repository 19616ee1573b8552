// AzureDiskLimits: a node has at most 16 Azure disks attached, unless it sets another limit (see
// max_volume_count).
// Upstream: plugins/nodevolumelimits/non_csi.go v1.22.17 at its default feature gates.
#include "predicates/volume_counts.h"

namespace winnow::predicates::removed {

BindPredicate azure_disk_limits;

std::unique_ptr<const Predicate> azure_disk_limits(const Request& request, const Arguments&) {
  return max_volume_count(request, {.limit = kAzureDiskLimit, .default_limit = [](NodeId) { return 16; }});
}

}  // namespace winnow::predicates::removed
