// CinderLimits: a node has at most 256 Cinder volumes attached, unless it sets another limit (see
// max_volume_count).
// A node whose CSINode says that Cinder has been migrated to its CSI driver passes: the feature gate for that
// was on in v1.22, and those of the other kinds were off.
// Upstream: plugins/nodevolumelimits/non_csi.go v1.22.17 at its default feature gates.
#include "cluster/state/attach/csi_migration.h"
#include "predicates/volume_counts.h"

namespace winnow::predicates::removed {

BindPredicate cinder_limits;

std::unique_ptr<const Predicate> cinder_limits(const Request& request, const Arguments&) {
  return max_volume_count(
      request,
      {.limit = kCinderLimit, .default_limit = [](NodeId) { return 256; }, .migrated = kMigratesCinder});
}

}  // namespace winnow::predicates::removed
