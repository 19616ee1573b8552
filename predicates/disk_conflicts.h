// Inline disks that two pods on one node cannot both mount.
#pragma once

#include "predicates/rules.h"

namespace winnow::predicates {

/// What the nodes' pods have mounted, held against a pod's disks. GCE disks, iSCSI targets (by IQN alone) and
/// RBD images (a monitor in common, same pool and image) may be shared by readers; an EBS volume never. Disks
/// are interned: each is judged once, and a node costs a look at its own few. The view outlives it.
/// Upstream: predicates.go isVolumeConflict v1.16.15;
/// pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go isVolumeConflict v1.37.0.
class DiskConflicts {
 public:
  DiskConflicts(const View& view, const PodSpec& pod);

  /// The pod has a disk of a kind that is looked at.
  bool has_disks() const { return has_disks_; }
  /// Some disk that is mounted somewhere is in the way.
  bool are_possible() const { return are_possible_; }
  bool on(NodeId node) const;

 private:
  const View& view_;
  bool has_disks_ = false;
  bool are_possible_ = false;
  std::vector<std::uint8_t> conflicts_;  ///< By disk.
};

inline constexpr const char* kDiskConflict = "node(s) had no available disk";

}  // namespace winnow::predicates
