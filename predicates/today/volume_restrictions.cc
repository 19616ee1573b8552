// VolumeRestrictions: no pod of the node has an inline disk mounted that this pod would mount too, and no pod
// anywhere uses a claim that one pod alone may use.
// Upstream: pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go v1.37.0.
#include <algorithm>
#include <format>

#include "predicates/disk_conflicts.h"

namespace winnow::predicates::today {

BindPredicate volume_restrictions;

namespace {

class VolumeRestrictions final : public Predicate {
 public:
  VolumeRestrictions(DiskConflicts disks, bool is_claim_taken)
      : disks_(std::move(disks)), is_claim_taken_(is_claim_taken) {}

  void map(std::span<const NodeId> nodes, std::span<Verdict> out) const override {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (disks_.on(nodes[i]))
        out[i] = Verdict::of(Fit::kUnschedulable, 0b01);
      else if (is_claim_taken_)
        out[i] = Verdict::of(Fit::kUnschedulable, 0b10);
    }
  }
  std::span<const std::string> reasons() const override { return reasons_; }

 private:
  const DiskConflicts disks_;
  const bool is_claim_taken_;
  const std::array<std::string, 2> reasons_{
      kDiskConflict,
      "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by "
      "another pod"};
};

}  // namespace

std::unique_ptr<const Predicate> volume_restrictions(const Request& request, const Arguments&) {
  const std::string& ns = request.pod.metadata.namespace_;
  bool is_claim_taken = false;
  for (const Volume& volume : request.pod.spec.volumes) {
    if (volume.source != VolumeSource::kPersistentVolumeClaim) continue;
    const PersistentVolumeClaim* claim = request.view.volumes().claim(ns, volume.id);
    if (!claim)
      return std::make_unique<RefusesPod>(Fit::kUnresolvable,
                                          std::format("persistentvolumeclaim \"{}\" not found", volume.id));
    if (std::ranges::contains(claim->access_modes, "ReadWriteOncePod"))
      is_claim_taken = is_claim_taken || request.view.is_claim_used(ns, volume.id);
  }
  DiskConflicts disks(request.view, request.pod.spec);
  if (!disks.has_disks() && !is_claim_taken) return nullptr;
  return std::make_unique<VolumeRestrictions>(std::move(disks), is_claim_taken);
}

}  // namespace winnow::predicates::today
