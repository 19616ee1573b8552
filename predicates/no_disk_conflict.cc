// NoDiskConflict: no pod of the node has an inline disk mounted that this pod would mount too. GCE disks,
// iSCSI targets (by IQN alone) and RBD images (a monitor in common, same pool and image) may be shared by
// readers; an EBS volume never. Upstream: predicates.go isVolumeConflict v1.16.15.
#include "predicates/rules.h"

namespace winnow::predicates {

BindPredicate no_disk_conflict;

namespace {

bool same_disk(const Disk& a, const Disk& b) {
  if (a.source != b.source || a.id != b.id) return false;
  if (a.source != VolumeSource::kRbd) return true;
  return a.pool == b.pool && std::ranges::find_first_of(a.monitors, b.monitors) != a.monitors.end();
}

bool conflict(const Disk& a, const Disk& b) {
  return same_disk(a, b) && !(a.read_only && b.read_only && a.source != VolumeSource::kAwsElasticBlockStore);
}

/// Disks are interned: each is held against the pod's once, and a node costs a look at its own few.
class NoDiskConflict final : public OneReason<NoDiskConflict> {
 public:
  NoDiskConflict(const View& view, std::vector<std::uint8_t> conflicts)
      : OneReason(Fit::kUnschedulable, "node(s) had no available disk"),
        view_(view),
        conflicts_(std::move(conflicts)) {}

  bool fits(NodeId node) const {
    return std::ranges::none_of(view_.disks(node),
                                [&](const NodeTable::DiskUse& use) { return conflicts_[use.disk]; });
  }

 private:
  const View& view_;
  const std::vector<std::uint8_t> conflicts_;  // By disk.
};

}  // namespace

std::unique_ptr<const Predicate> no_disk_conflict(const Request& request, const Arguments&) {
  const auto& disks = request.view.names().disks;
  std::vector<std::uint8_t> conflicts(disks.capacity(), 0);
  bool any = false;
  for (const Volume& volume : request.pod.spec.volumes) {
    const std::optional<Disk> wanted = as_disk(volume);
    if (!wanted) continue;
    for (std::uint32_t id = 0; id < disks.capacity(); ++id)
      if (conflict(*wanted, disks[id])) {
        conflicts[id] = 1;
        any = true;
      }
  }
  if (!any) return nullptr;
  return std::make_unique<NoDiskConflict>(request.view, std::move(conflicts));
}

}  // namespace winnow::predicates
