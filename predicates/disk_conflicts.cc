#include "predicates/disk_conflicts.h"

#include <algorithm>
#include <unordered_map>

#include "cluster/text/keyed_hash.h"

namespace winnow::predicates {
namespace {

/// The name by which two pods mean one disk. An RBD image has one for each monitor: one in common is enough.
struct DiskName {
  VolumeSource source;
  std::string_view id, pool, monitor;
  bool operator==(const DiskName&) const = default;
};
struct DiskNameHash {
  std::size_t operator()(const DiskName& name) const {
    const std::size_t seed = hash_mix(static_cast<std::size_t>(name.source), TextHash{}(name.id));
    return hash_mix(seed, hash_mix(TextHash{}(name.pool), TextHash{}(name.monitor)));
  }
};

/// Calls visit(name) for each name of a disk, until visit returns true. @return whether it did.
template <class Visit>
bool visit_names(const Disk& disk, const Visit& visit) {
  if (disk.source != VolumeSource::kRbd) return visit(DiskName{disk.source, disk.id, {}, {}});
  return std::ranges::any_of(disk.monitors, [&](const std::string& monitor) {
    return visit(DiskName{disk.source, disk.id, disk.pool, monitor});
  });
}

/// The disks that a pod wants, by name.
class WantedDisks {
 public:
  explicit WantedDisks(const PodSpec& pod) {
    disks_.reserve(pod.volumes.size());  // The names are views into it.
    for (const Volume& volume : pod.volumes)
      if (std::optional<Disk> wanted = as_disk(volume)) add(disks_.emplace_back(std::move(*wanted)));
  }

  bool empty() const { return disks_.empty(); }
  /// Readers may share every disk but an EBS volume.
  bool conflict(const Disk& mounted) const {
    return visit_names(mounted, [&](const DiskName& name) {
      const auto wanted = writes_.find(name);
      return wanted != writes_.end() &&
             (wanted->second || !mounted.read_only || mounted.source == VolumeSource::kAwsElasticBlockStore);
    });
  }

 private:
  void add(const Disk& disk) {
    visit_names(disk, [&](const DiskName& name) {
      bool& writes = writes_[name];
      writes = writes || !disk.read_only;
      return false;
    });
  }

  std::vector<Disk> disks_;
  std::unordered_map<DiskName, bool, DiskNameHash> writes_;  ///< Whether the pod mounts it for writing too.
};

}  // namespace

DiskConflicts::DiskConflicts(const View& view, const PodSpec& pod) : view_(view) {
  // Most pods have volumes and no disks: for them nothing is made.
  if (std::ranges::none_of(pod.volumes, [](const Volume& volume) { return as_disk(volume).has_value(); }))
    return;
  const WantedDisks wanted(pod);
  has_disks_ = !wanted.empty();
  if (!has_disks_) return;
  const auto& disks = view.names().disks;
  conflicts_.resize(disks.capacity());
  for (std::uint32_t id = 0; id < disks.capacity(); ++id)
    if (wanted.conflict(disks[id])) {
      conflicts_[id] = 1;
      are_possible_ = true;
    }
}

bool DiskConflicts::on(NodeId node) const {
  return are_possible_ && std::ranges::any_of(view_.disks(node), [this](const NodeTable::DiskUse& use) {
           return conflicts_[use.disk];
         });
}

std::int64_t DiskConflicts::count(NodeId node) const {
  std::int64_t pods = 0;
  if (are_possible_)
    for (const NodeTable::DiskUse& use : view_.disks(node))
      if (conflicts_[use.disk]) pods += use.pods;
  return pods;
}

std::int64_t DiskConflicts::count(const Footprint& pod) const {
  if (!are_possible_) return 0;
  return std::ranges::count_if(pod.disks, [this](std::uint32_t disk) { return conflicts_[disk] != 0; });
}

}  // namespace winnow::predicates
