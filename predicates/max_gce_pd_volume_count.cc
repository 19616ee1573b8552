// MaxGCEPDVolumeCount: a node has at most 16 GCE persistent disks attached, unless it sets another limit
// (see max_volume_count).
// Upstream: predicates.go MaxPDVolumeCountChecker v1.16.15.
#include "predicates/volume_counts.h"

namespace winnow::predicates {

BindPredicate max_gce_pd_volume_count;

std::unique_ptr<const Predicate> max_gce_pd_volume_count(const Request& request, const Arguments& arguments) {
  return max_volume_count(request, {.limit = kGcePdLimit,
                                    .default_limit = [](NodeId) { return 16; },
                                    .by_node = limits_by_node(arguments)});
}

}  // namespace winnow::predicates
