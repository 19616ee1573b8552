#include "predicates/disk_conflicts.h"

#include <algorithm>

namespace winnow::predicates {
namespace {

bool same_disk(const Disk& a, const Disk& b) {
  if (a.source != b.source || a.id != b.id) return false;
  if (a.source != VolumeSource::kRbd) return true;
  return a.pool == b.pool && std::ranges::find_first_of(a.monitors, b.monitors) != a.monitors.end();
}

/// Readers may share every disk but an EBS volume.
bool conflict(const Disk& a, const Disk& b) {
  return same_disk(a, b) && !(a.read_only && b.read_only && a.source != VolumeSource::kAwsElasticBlockStore);
}

}  // namespace

DiskConflicts::DiskConflicts(const View& view, const PodSpec& pod) : view_(view) {
  const auto& disks = view.names().disks;
  for (const Volume& volume : pod.volumes) {
    const std::optional<Disk> wanted = as_disk(volume);
    if (!wanted) continue;
    has_disks_ = true;
    conflicts_.resize(disks.capacity());
    for (std::uint32_t id = 0; id < disks.capacity(); ++id)
      if (conflict(*wanted, disks[id])) {
        conflicts_[id] = 1;
        are_possible_ = true;
      }
  }
}

bool DiskConflicts::on(NodeId node) const {
  return are_possible_ && std::ranges::any_of(view_.disks(node), [this](const NodeTable::DiskUse& use) {
           return conflicts_[use.disk];
         });
}

}  // namespace winnow::predicates
