// VolumeRestrictions: no pod of the node has an inline disk mounted that conflicts with a disk of this pod,
// and no pod on any node uses a ReadWriteOncePod claim of this pod.
// Upstream: pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go v1.37.0.
#include <algorithm>
#include <format>

#include "predicates/disk_conflicts.h"

namespace winnow::predicates::today {

BindPredicate volume_restrictions;

namespace {

class VolumeRestrictions final : public Predicate {
 public:
  /// @param otherwise  the verdict on nodes without a conflict of disks.
  VolumeRestrictions(DiskConflicts disks, Verdict otherwise)
      : disks_(std::move(disks)), otherwise_(otherwise) {}

  static constexpr Verdict kClaimTaken = Verdict::of(Fit::kUnschedulable, 0b010);
  static constexpr Verdict kNotPreFiltered = Verdict::of(Fit::kError, 0b100);

  void map(std::span<const NodeId> nodes, std::span<Verdict> out) const override {
    for (std::size_t i = 0; i < nodes.size(); ++i)
      out[i] = disks_.on(nodes[i]) ? Verdict::of(Fit::kUnschedulable, 0b001) : otherwise_;
  }
  std::span<const std::string> reasons() const override { return reasons_; }

 private:
  const DiskConflicts disks_;
  const Verdict otherwise_;
  const std::array<std::string, 3> reasons_{
      kDiskConflict,
      "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by "
      "another pod",
      "cannot read \"PreFilterVolumeRestrictions\" from cycleState"};
};

}  // namespace

std::unique_ptr<const Predicate> volume_restrictions(const Request& request, const Arguments&) {
  if (!request.pre_filters)
    return std::make_unique<VolumeRestrictions>(DiskConflicts(request.view, request.pod.spec),
                                                VolumeRestrictions::kNotPreFiltered);
  const std::string& ns = request.pod.metadata.namespace_;
  bool is_claim_taken = false;
  for (const Volume& volume : request.pod.spec.volumes) {
    if (volume.source != VolumeSource::kPersistentVolumeClaim) continue;
    const PersistentVolumeClaim* claim = request.view.volumes().claim(ns, volume.id);
    if (!claim)
      return std::make_unique<RefusesPod>(Fit::kUnresolvable,
                                          std::format("persistentvolumeclaim \"{}\" not found", volume.id));
    if (std::ranges::contains(claim->access_modes, "ReadWriteOncePod"))
      // For nominated pods upstream compares only the names of claims, and not their namespaces.
      is_claim_taken = is_claim_taken || request.view.is_claim_used(ns, volume.id) ||
                       request.view.is_claim_awaited(volume.id);
  }
  DiskConflicts disks(request.view, request.pod.spec);
  if (!disks.has_disks() && !is_claim_taken) return nullptr;
  return std::make_unique<VolumeRestrictions>(std::move(disks),
                                              is_claim_taken ? VolumeRestrictions::kClaimTaken : Verdict());
}

}  // namespace winnow::predicates::today
