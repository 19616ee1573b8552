// CheckVolumeBinding: the node can use the volumes of the pod's bound claims. Each claim that waits for its
// first consumer finds a volume there, or can be given a new one (see DelayedClaims).
// Upstream: pkg/controller/volume/scheduling/scheduler_binder.go FindPodVolumes v1.16.15.
#include <algorithm>
#include <format>
#include <set>

#include "cluster/rule/budget.h"
#include "cluster/rule/claims.h"
#include "cluster/rule/reasons.h"
#include "cluster/state/csi_migration.h"
#include "cluster/text/go_format.h"
#include "predicates/records.h"
#include "predicates/rules.h"

namespace winnow::predicates {

BindPredicate check_volume_binding;

namespace {

class CheckVolumeBinding final : public Predicate {
 public:
  CheckVolumeBinding(const View& view, const PodClaims& claims, const Budget* budget)
      : budget_(budget), delayed_(view, claims.delayed, Generation::kClassic) {
    add_bound(view, claims.bound);
    reasons_[kSelectorError] = delayed_.error();
  }

  bool has_nothing_to_say() const {
    return bound_.empty() && delayed_.empty() && reasons_[kBoundError].empty();
  }

  void map(std::span<const NodeId> nodes, std::span<Verdict> out) const override {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (budget_ && !delayed_.empty()) budget_->check();
      out[i] = judge(nodes[i]);
    }
  }
  std::span<const std::string> reasons() const override { return reasons_; }

 private:
  enum Reason : unsigned { kAffinity, kNoVolume, kBoundError, kSelectorError };
  static Verdict error(Reason reason) { return Verdict::of(Fit::kError, 1u << reason); }

  /// Stops at the first claim whose volume does not exist. Upstream gives that error only on nodes that suit
  /// the volumes before it.
  void add_bound(const View& view, const std::vector<const PersistentVolumeClaim*>& claims) {
    std::set<const PersistentVolume*> seen;  // A pod may mount one claim many times.
    for (const PersistentVolumeClaim* claim : claims) {
      const PersistentVolume* volume = view.volumes().volume(claim->volume_name);
      if (!volume) {
        reasons_[kBoundError] =
            std::format("could not find v1.PersistentVolume {}", go_quote(claim->volume_name));
        return;
      }
      if (!seen.insert(volume).second) continue;
      VolumeAffinity affinity(view, volume->node_affinity, Generation::kClassic);
      if (!affinity.is_everywhere()) bound_.push_back(std::move(affinity));
    }
  }

  Verdict judge(NodeId node) const {
    const bool suits =
        std::ranges::all_of(bound_, [node](const VolumeAffinity& one) { return one.matches(node); });
    if (suits && !reasons_[kBoundError].empty()) return error(kBoundError);
    const bool are_promised_elsewhere = delayed_.are_promised_elsewhere(node);
    if (!are_promised_elsewhere && !delayed_.error().empty()) return error(kSelectorError);
    const bool served = !are_promised_elsewhere && delayed_.serve(node) == Served::kYes;
    if (suits && served) return Verdict();
    return Verdict::of(Fit::kUnresolvable, (suits ? 0u : 1u << kAffinity) | (served ? 0u : 1u << kNoVolume));
  }

  const Budget* const budget_;
  std::vector<VolumeAffinity> bound_;
  const DelayedClaims delayed_;
  std::array<std::string, 4> reasons_ = {"node(s) had volume node affinity conflict",
                                         "node(s) didn't find available persistent volumes to bind", "", ""};
};

}  // namespace

std::unique_ptr<const Predicate> check_volume_binding(const Request& request, const Arguments&) {
  const std::expected<PodClaims, std::string> claims =
      claims_of(request.view, request.pod, Generation::kClassic);
  if (!claims) return std::make_unique<ErrorEverywhere>(claims.error());
  if (claims->unbound_immediate)
    return std::make_unique<ErrorEverywhere>("pod has unbound immediate PersistentVolumeClaims");
  if (claims->bound.empty() && claims->delayed.empty()) return nullptr;
  auto rule = std::make_unique<CheckVolumeBinding>(request.view, *claims, request.budget);
  if (rule->has_nothing_to_say()) return nullptr;
  return rule;
}

}  // namespace winnow::predicates

namespace winnow::predicates::today {

// VolumeBinding: the node can use the volumes of the pod's bound claims. Each claim that waits for its first
// consumer finds a volume there, or can be given a new one, if the driver reports enough room (see
// DelayedClaims). If the node's CSINode says that an in-tree kind is migrated, a volume of that kind is
// matched by the labels of its CSI driver.
// Upstream: pkg/scheduler/framework/plugins/volumebinding/volume_binding.go, binder.go v1.37.0.

BindPredicate volume_binding;

namespace {

/// The reason why the pod cannot be scheduled yet, or "".
/// Upstream: podHasPVCs.
std::string refusal(const View& view, const Pod& pod) {
  for (const Volume& volume : pod.spec.volumes) {
    const std::optional<std::string> name = claim_name(pod, volume, Generation::kToday);
    if (!name) continue;
    const bool is_ephemeral = volume.source == VolumeSource::kEphemeral;
    const PersistentVolumeClaim* claim = view.volumes().claim(pod.metadata.namespace_, *name);
    if (!claim && is_ephemeral)
      return std::format("waiting for ephemeral volume controller to create the persistentvolumeclaim {}",
                         go_quote(*name));
    if (!claim) return std::format("persistentvolumeclaim {} not found", go_quote(*name));
    if (claim->phase == "Lost")
      return std::format("persistentvolumeclaim {} bound to non-existent persistentvolume {}",
                         go_quote(*name), go_quote(claim->volume_name));
    if (claim->metadata.deleting)
      return std::format("persistentvolumeclaim {} is being deleted", go_quote(*name));
    if (!is_ephemeral) continue;
    std::string error = claim_error(*claim, pod.metadata.name, pod.metadata.uid);
    if (!error.empty()) return error;
  }
  return {};
}

/// The volume of a bound claim, and the nodes that can use it.
struct Bound {
  VolumeAffinity affinity;
  bool exists = true;
  std::uint8_t migrates = 0;               ///< The CsiFlag of its kind; 0 if migration makes no difference.
  std::optional<VolumeAffinity> migrated;  ///< For a node with that flag. Without it, the node gives `error`.
  Verdict error;                           ///< The verdict on such a node.
};

class VolumeBinding final : public Predicate {
 public:
  VolumeBinding(const Request& request, const PodClaims& claims)
      : budget_(request.budget),
        csi_(request.view.csi()),
        delayed_(request.view, claims.delayed, Generation::kToday) {
    std::set<const PersistentVolumeClaim*> seen;  // A pod may mount one claim many times.
    for (const PersistentVolumeClaim* claim : claims.bound)
      if (seen.insert(claim).second) add_bound(request, *claim);
    reasons_[kSelectorError] = delayed_.error();
  }

  void map(std::span<const NodeId> nodes, std::span<Verdict> out) const override {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (budget_ && !delayed_.empty()) budget_->check();
      out[i] = judge(nodes[i]);
    }
  }
  std::span<const std::string> reasons() const override { return reasons_; }

 private:
  enum Reason : unsigned { kAffinity, kNoVolume, kNoSpace, kNoSuchVolume, kSelectorError };
  static std::uint64_t bit(unsigned reason) { return std::uint64_t{1} << reason; }

  void add_bound(const Request& request, const PersistentVolumeClaim& claim) {
    const View& view = request.view;
    const PersistentVolume* volume = view.volumes().volume(claim.volume_name);
    if (!volume) {
      bound_.push_back(
          {VolumeAffinity(view, std::nullopt, Generation::kToday), false, 0, std::nullopt, Verdict()});
      return;
    }
    Bound bound{VolumeAffinity(view, volume->node_affinity, Generation::kToday), true, 0, std::nullopt,
                Verdict()};
    if (const InTreePlugin* plugin = in_tree_plugin(volume->source.source)) {
      bound.migrates = plugin->flag;
      if (plugin->flag) migrate(request, *volume, bound);
    }
    bound_.push_back(std::move(bound));
  }

  static void migrate(const Request& request, const PersistentVolume& volume, Bound& bound) {
    if (const auto handle = csi_handle(volume))
      bound.migrated.emplace(request.view, csi_affinity(volume), Generation::kToday);
    else
      bound.error = request.reason_lists->verdict(Fit::kError, {"could not translate pv: " + handle.error()});
  }

  /// The verdict on the bound claims: that of the first volume that the node cannot use.
  Verdict judge_bound(NodeId node) const {
    for (const Bound& one : bound_) {
      if (!one.exists) return Verdict::of(Fit::kUnresolvable, bit(kNoSuchVolume));
      const bool is_migrated = (csi_[node] & one.migrates) != 0;
      if (is_migrated && !one.migrated) return one.error;
      if (!(is_migrated ? *one.migrated : one.affinity).matches(node))
        return Verdict::of(Fit::kUnresolvable, bit(kAffinity));
    }
    return Verdict();
  }

  Verdict judge(NodeId node) const {
    const Verdict bound = judge_bound(node);
    if (bound.fit() == Fit::kError || delayed_.empty()) return bound;
    Served served = Served::kNoVolume;
    if (!delayed_.are_promised_elsewhere(node)) {
      if (!delayed_.error().empty()) return Verdict::of(Fit::kError, bit(kSelectorError));
      served = delayed_.serve(node);
    }
    if (served == Served::kYes) return bound;
    return Verdict::of(Fit::kUnresolvable,
                       bound.reasons() | bit(served == Served::kNoVolume ? kNoVolume : kNoSpace));
  }

  const Budget* const budget_;
  const Column<std::uint8_t> csi_;
  std::vector<Bound> bound_;
  const DelayedClaims delayed_;
  std::vector<std::string> reasons_{
      "node(s) didn't match PersistentVolume's node affinity",
      "node(s) didn't find available persistent volumes to bind", "node(s) did not have enough free storage",
      "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)", ""};
};

}  // namespace

std::unique_ptr<const Predicate> volume_binding(const Request& request, const Arguments&) {
  const View& view = request.view;
  const Pod& pod = request.pod;
  if (std::ranges::none_of(pod.spec.volumes, [&](const Volume& volume) {
        return claim_name(pod, volume, Generation::kToday).has_value();
      }))
    return nullptr;
  if (std::string reason = refusal(view, pod); !reason.empty())
    return std::make_unique<RefusesPod>(Fit::kUnresolvable, std::move(reason));
  const auto claims = claims_of(view, pod, Generation::kToday);
  if (!claims) return std::make_unique<RefusesPod>(Fit::kError, claims.error());
  if (claims->unbound_immediate)
    return std::make_unique<RefusesPod>(Fit::kUnresolvable,
                                        "pod has unbound immediate PersistentVolumeClaims");
  return std::make_unique<VolumeBinding>(request, *claims);
}

}  // namespace winnow::predicates::today

namespace winnow::predicates {

// The records.

namespace {

constexpr PointSet kBindingPoints(Point::kPreFilter, Point::kFilter, Point::kReserve, Point::kPreBind);

constexpr Record kVolumeBindingRecords[] = {
    {.name = "CheckVolumeBinding",
     .origin = RuleOrigin::kClassic,
     .bind = check_volume_binding,
     .needs = needs::kAttachLimits,
     .follows_by = kNever,
     .causes = causes_of_check_volume_binding,
     .by_default = AtGates::kAllGates},
    {.name = "VolumeBinding",
     .origin = RuleOrigin::kToday,
     .bind = today::volume_binding,
     .needs = needs::kBinding,
     .follows_by = kNever,
     .causes = causes_of_volume_binding,
     .checks = "volumes that are bound, or are to be",
     .classic = {.predicate = "CheckVolumeBinding", .lacking = "CSIStorageCapacity"},
     .best = Best::kKubeScheduler,
     .without_pre_filter = "not found",
     .releases = {{.release = Release::k1_18, .points = points::kFilter, .pre_filters_as_today = true},
                  {.release = Release::k1_22, .points = kBindingPoints}}},
};

}  // namespace

Records volume_binding_records;

std::span<const Record> volume_binding_records() { return kVolumeBindingRecords; }

}  // namespace winnow::predicates
