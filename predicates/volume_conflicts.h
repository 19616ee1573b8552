// Inline disks that two pods on one node cannot both mount.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cluster/state/row_values.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"

namespace winnow::predicates {

/// The disks that nodes' pods have mounted, compared with one pod's disks. Pods may share a GCE disk, an
/// iSCSI target (compared by IQN alone) or an RBD image (same pool and image, a common monitor) if all of
/// them only read. They never share an EBS volume. Disks are interned: each is judged once, and a node costs
/// a look at its own few. The view must outlive the object.
/// Upstream: predicates.go isVolumeConflict v1.16.15;
/// pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go isVolumeConflict v1.37.0.
class DiskConflicts {
 public:
  DiskConflicts(const View& view, const PodSpec& pod);

  /// Whether the pod has a disk of one of these kinds.
  bool has_disks() const { return has_disks_; }
  /// Whether a disk that is mounted on some node conflicts with the pod's.
  bool are_possible() const { return are_possible_; }
  /// Whether this disk, which is mounted on some node, conflicts with the pod's.
  bool with(std::uint32_t disk) const { return are_possible_ && conflicts_[disk] != 0; }
  /// Whether a disk that is mounted on the node conflicts with the pod's.
  bool on(NodeId node) const;
  /// How many pods of the node have mounted such a disk, each counted once for each of its disks.
  std::int64_t count(NodeId node) const;
  /// How many such disks a pod of the state has.
  std::int64_t count(const Footprint& pod) const;

 private:
  const View& view_;
  bool has_disks_ = false;
  bool are_possible_ = false;
  std::vector<std::uint8_t> conflicts_;  ///< By disk id.
};

/// The conflicts on a node in the dry run of a preemption. A part of a rule's Trial.
class DiskConflictsTrial {
 public:
  DiskConflictsTrial(const View& view, const PodSpec& pod)
      : state_(view.state()), conflicts_(std::make_shared<const DiskConflicts>(view, pod)) {}

  void begin(NodeId node) { count_ = conflicts_->count(node); }
  void change(PodId pod, std::int32_t by) {
    count_ += by * conflicts_->count(state_.footprint(state_.pod(pod)));
  }
  bool fits() const { return count_ == 0; }

 private:
  const State& state_;
  std::shared_ptr<const DiskConflicts> conflicts_;
  std::int64_t count_ = 0;
};

inline constexpr const char* kDiskConflict = "node(s) had no available disk";

}  // namespace winnow::predicates
