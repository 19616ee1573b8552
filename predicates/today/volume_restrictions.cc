// VolumeRestrictions: no pod of the node has an inline disk mounted that conflicts with a disk of this pod,
// and no pod on any node uses a ReadWriteOncePod claim of this pod.
// Upstream: pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go v1.37.0.
#include <algorithm>
#include <expected>
#include <format>
#include <set>
#include <string>

#include "cluster/text/go_quote.h"
#include "predicates/disk_conflicts.h"

namespace winnow::predicates::today {

BindPredicate volume_restrictions;
MakeTrial try_volume_restrictions;

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

using ClaimNames = std::set<std::string>;

/// The pod's ReadWriteOncePod claims. @return the first claim that does not exist, if there is one.
std::expected<ClaimNames, std::string> exclusive_claims(const Request& request) {
  ClaimNames claims;
  for (const Volume& volume : request.pod.spec.volumes) {
    if (volume.source != VolumeSource::kPersistentVolumeClaim) continue;
    const PersistentVolumeClaim* claim =
        request.view.volumes().claim(request.pod.metadata.namespace_, volume.id);
    if (!claim) return std::unexpected(volume.id);
    if (std::ranges::contains(claim->access_modes, "ReadWriteOncePod")) claims.insert(volume.id);
  }
  return claims;
}

/// Of a claim upstream's AddPod and RemovePod compare the name alone, in whatever namespace it is, and count
/// each mount. PreFilter has counted each claim once.
class VolumeRestrictionsTrial final : public Trial {
 public:
  VolumeRestrictionsTrial(const Request& request, ClaimNames claims)
      : state_(request.view.state()),
        disks_(request.view, request.pod.spec),
        claims_(std::make_shared<const ClaimNames>(std::move(claims))) {
    for (const std::string& claim : *claims_)
      in_use_ += request.view.is_claim_used(request.pod.metadata.namespace_, claim) ? 1 : 0;
    mounts_ = in_use_;
  }

  void begin(NodeId node) override {
    disks_.begin(node);
    mounts_ = in_use_;
  }
  void change(PodId pod, std::int32_t by) override {
    disks_.change(pod, by);
    if (claims_->empty()) return;
    for (const Volume& volume : state_.spec(state_.pod(pod)).volumes)
      if (volume.source == VolumeSource::kPersistentVolumeClaim && claims_->contains(volume.id))
        mounts_ += by;
  }
  bool fits() const override { return disks_.fits() && mounts_ <= 0; }
  std::unique_ptr<Trial> copy() const override { return std::make_unique<VolumeRestrictionsTrial>(*this); }

 private:
  const State& state_;
  DiskConflictsTrial disks_;
  std::shared_ptr<const ClaimNames> claims_;
  std::int64_t in_use_ = 0, mounts_ = 0;
};

}  // namespace

std::unique_ptr<const Predicate> volume_restrictions(const Request& request, const Arguments&) {
  if (!request.pre_filters)
    return std::make_unique<VolumeRestrictions>(DiskConflicts(request.view, request.pod.spec),
                                                VolumeRestrictions::kNotPreFiltered);
  const auto claims = exclusive_claims(request);
  if (!claims)
    return std::make_unique<RefusesPod>(
        Fit::kUnresolvable, std::format("persistentvolumeclaim {} not found", go_quote(claims.error())));
  // For nominated pods upstream compares only the names of claims, and not their namespaces.
  const bool is_claim_taken = std::ranges::any_of(*claims, [&](const std::string& claim) {
    return request.view.is_claim_used(request.pod.metadata.namespace_, claim) ||
           request.view.is_claim_awaited(claim);
  });
  DiskConflicts disks(request.view, request.pod.spec);
  if (!disks.has_disks() && !is_claim_taken) return nullptr;
  return std::make_unique<VolumeRestrictions>(std::move(disks),
                                              is_claim_taken ? VolumeRestrictions::kClaimTaken : Verdict());
}

std::unique_ptr<Trial> try_volume_restrictions(const Request& request, const Arguments&) {
  return std::make_unique<VolumeRestrictionsTrial>(request, exclusive_claims(request).value_or(ClaimNames()));
}

}  // namespace winnow::predicates::today
