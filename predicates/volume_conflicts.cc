#include "predicates/volume_conflicts.h"

#include <algorithm>
#include <expected>
#include <format>
#include <set>
#include <string>
#include <unordered_map>

#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "cluster/text/go_format.h"
#include "cluster/text/keyed_hash.h"
#include "predicates/records.h"
#include "predicates/rules.h"

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

// NoDiskConflict: no pod of the node has an inline disk mounted that conflicts with a disk of this pod.
// Upstream: predicates.go NoDiskConflict v1.16.15.

BindPredicate no_disk_conflict;
MakeTrial try_no_disk_conflict;

namespace {

class NoDiskConflict final : public OneReason<NoDiskConflict> {
 public:
  explicit NoDiskConflict(DiskConflicts conflicts)
      : OneReason(Fit::kUnschedulable, kDiskConflict), conflicts_(std::move(conflicts)) {}

  bool fits(NodeId node) const { return !conflicts_.on(node); }

 private:
  const DiskConflicts conflicts_;
};

class NoDiskConflictTrial final : public Trial {
 public:
  explicit NoDiskConflictTrial(const Request& request) : disks_(request.view, request.pod.spec) {}

  void begin(NodeId node) override { disks_.begin(node); }
  void change(PodId pod, std::int32_t by) override { disks_.change(pod, by); }
  bool fits() const override { return disks_.fits(); }
  std::unique_ptr<Trial> copy() const override { return std::make_unique<NoDiskConflictTrial>(*this); }

 private:
  DiskConflictsTrial disks_;
};

}  // namespace

std::unique_ptr<const Predicate> no_disk_conflict(const Request& request, const Arguments&) {
  DiskConflicts conflicts(request.view, request.pod.spec);
  if (!conflicts.are_possible()) return nullptr;
  return std::make_unique<NoDiskConflict>(std::move(conflicts));
}

std::unique_ptr<Trial> try_no_disk_conflict(const Request& request, const Arguments&) {
  return std::make_unique<NoDiskConflictTrial>(request);
}

}  // namespace winnow::predicates

namespace winnow::predicates::today {

// VolumeRestrictions: no pod of the node has an inline disk mounted that conflicts with a disk of this pod,
// and no pod on any node uses a ReadWriteOncePod claim of this pod.
// Upstream: pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go v1.37.0.

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

namespace winnow::predicates {

// The records.

namespace {

constexpr Record kVolumeConflictsRecords[] = {
    {.name = "NoDiskConflict",
     .origin = RuleOrigin::kClassic,
     .bind = no_disk_conflict,
     .needs = needs::kNothing,
     .follows_by = try_no_disk_conflict,
     .causes = causes_of_disk_conflicts,
     .by_default = AtGates::kAllGates},
    {.name = "VolumeRestrictions",
     .origin = RuleOrigin::kToday,
     .bind = today::volume_restrictions,
     .needs = needs::kClaims,
     .follows_by = today::try_volume_restrictions,
     .causes = causes_of_volume_restrictions,
     .checks = "inline disks in use and ReadWriteOncePod claims",
     .classic = {.predicate = "NoDiskConflict", .lacking = "ReadWriteOncePod claims"},
     .turned_by_eviction = has_volumes,
     .releases = {{.release = Release::k1_18, .points = points::kFilter, .pre_filters_as_today = true},
                  {.release = Release::k1_22, .points = points::kPreFilterAndFilter}}},
};

}  // namespace

Records volume_conflicts_records;

std::span<const Record> volume_conflicts_records() { return kVolumeConflictsRecords; }

}  // namespace winnow::predicates
