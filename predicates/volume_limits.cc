#include "predicates/volume_limits.h"

#include <algorithm>
#include <cstdlib>

#include "cluster/api/selector.h"
#include "cluster/state/csi_migration.h"
#include "cluster/state/volumes.h"
#include "predicates/records.h"
#include "predicates/rules.h"

namespace winnow::predicates {
namespace {

std::optional<std::int64_t> limit_from_environment() {
  const char* text = std::getenv("KUBE_MAX_PD_VOLS");
  const std::optional<std::int64_t> number = text ? parse_int64(text) : std::nullopt;
  return number && *number > 0 ? number : std::nullopt;
}

/// A pod on the node with a nameless claim makes upstream's count of the node's volumes fail.
class MaxVolumeCount final : public Predicate {
 public:
  MaxVolumeCount(const View& view, NewVolumes volumes, InTreeLimit limit)
      : view_(view),
        volumes_(std::move(volumes)),
        csi_(view.csi()),
        broken_(view.attach_limit(kErrorLimit).attached),
        nameless_(view.attachable({std::string(kErrorLimit), kNamelessClaimError, "", false})),
        limit_(std::move(limit)),
        from_environment_(limit_from_environment()) {}

  void map(std::span<const NodeId> nodes, std::span<Verdict> out) const override {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const NodeId node = nodes[i];
      if (limit_.migrated != 0 && (csi_[node] & limit_.migrated) != 0) continue;
      if (broken_[node] > 0 && has_nameless(node))
        out[i] = Verdict::of(Fit::kError, 0b10);
      else if (volumes_.attached(node) + volumes_.missing(node) > limit(node))
        out[i] = Verdict::of(Fit::kUnschedulable, 0b01);
    }
  }
  std::span<const std::string> reasons() const override { return reasons_; }

  /// Adds the limit that the node would exceed.
  void add_causes(NodeId node, std::vector<Cause>& causes) const {
    if (limit_.migrated != 0 && (csi_[node] & limit_.migrated) != 0) return;
    const std::int64_t attached = volumes_.attached(node), missing = volumes_.missing(node);
    if (attached + missing > limit(node))
      causes.push_back(limit_cause(limit_.limit, limit(node), attached, missing));
  }

 private:
  std::int64_t limit(NodeId node) const {
    const std::int64_t offered = limit_.by_node ? volumes_.offered(node) : AttachTable::kNoLimit;
    if (offered != AttachTable::kNoLimit) return offered;
    return from_environment_ ? *from_environment_ : limit_.default_limit.of(node);
  }

  /// Today's generation counts other errors under kErrorLimit, too.
  bool has_nameless(NodeId node) const {
    return nameless_ != kNone &&
           std::ranges::contains(view_.attached(node), nameless_, &AttachTable::Use::volume);
  }

  const View& view_;
  const NewVolumes volumes_;
  const Column<std::uint8_t> csi_;
  const Column<std::int32_t> broken_;
  const std::uint32_t nameless_;
  const InTreeLimit limit_;
  const std::optional<std::int64_t> from_environment_;
  const std::array<std::string, 2> reasons_{kTooManyVolumes, kNamelessClaimError};
};

}  // namespace

std::expected<std::vector<AttachableName>, std::string> attachables(const Request& request) {
  AttachableNames found;
  for (const Volume& volume : request.pod.spec.volumes) {
    if (auto own = inline_attachable(volume, Generation::kClassic)) {
      if (own->limit == kErrorLimit) return std::unexpected(kNamelessClaimError);
      found.add(std::move(*own));
    } else if (volume.source == VolumeSource::kPersistentVolumeClaim) {
      const std::string claim = request.pod.metadata.namespace_ + '/' + volume.id;
      for (AttachableName& one : request.view.volumes().attachables(claim)) found.add(std::move(one));
    }
  }
  return found.take();
}

void AttachableNames::add(AttachableName volume) {
  if (seen_.insert(volume).second) names_.push_back(std::move(volume));
}

void NewVolumes::add(const AttachableName& volume) {
  ++count_;
  const std::uint32_t id = view_.attachable(volume);
  if (id != kNone) ++known_[id];
}

std::int64_t NewVolumes::missing(NodeId node) const {
  std::int64_t missing = count_;
  if (known_.empty()) return missing;
  // A volume that only a VolumeAttachment puts on the node is still missing: no pod uses it there.
  for (const AttachTable::Use& use : view_.attached(node))
    if (const auto known = known_.find(use.volume); known != known_.end() && use.pods > 0)
      missing -= known->second;
  return missing;
}

bool limits_by_node(const Arguments& arguments) {
  const auto* const given = arguments.get_if<AttachLimits>();
  return !given || given->by_node;
}

Cause limit_cause(std::string_view driver, std::int64_t limit, std::int64_t attached, std::int64_t wanted) {
  Cause cause{"attachLimit"};
  cause.with("driver", std::string(driver)).with("limit", limit);
  return cause.with("attached", attached).with("wanted", wanted);
}

namespace {

NewVolumes volumes_under(const Request& request, const std::vector<AttachableName>& found,
                         std::string_view limit) {
  NewVolumes volumes(request.view, limit);
  for (const AttachableName& one : found)
    if (one.limit == limit) volumes.add(one);
  return volumes;
}

}  // namespace

std::unique_ptr<const Predicate> max_volume_count(const Request& request, InTreeLimit limit) {
  if (!has_volumes(request.pod.spec, {})) return nullptr;
  const auto found = attachables(request);
  if (!found) return std::make_unique<ErrorEverywhere>(found.error());
  NewVolumes volumes = volumes_under(request, *found, limit.limit);
  if (volumes.empty()) return nullptr;
  return std::make_unique<MaxVolumeCount>(request.view, std::move(volumes), std::move(limit));
}

std::unique_ptr<const CauseFinder> find_excess(const Request& request, InTreeLimit limit) {
  const auto found = attachables(request);
  if (!found) return everywhere(Cause{"error"}.with("error", found.error()));
  NewVolumes volumes = volumes_under(request, *found, limit.limit);
  if (volumes.empty()) return nullptr;
  return make_cause_finder(
      [rule = std::make_shared<const MaxVolumeCount>(request.view, std::move(volumes), std::move(limit))](
          NodeId node, std::vector<Cause>& causes) { rule->add_causes(node, causes); });
}

// MaxEBSVolumeCount: a node has at most 39 EBS volumes attached, or 25 if its instance type is a nitro type,
// unless it sets another limit (see max_volume_count). The instance type is read from the beta label only.
// Upstream: predicates.go MaxPDVolumeCountChecker, getMaxEBSVolume v1.16.15.

BindPredicate max_ebs_volume_count;

namespace {

constexpr std::int64_t kUsual = 39;
constexpr std::int64_t kNitro = 25;

/// Upstream's expression is "^[cmr]5.*|t3|z1d": the anchor belongs to the first alternative only.
bool is_nitro(std::string_view type) {
  const bool is_fifth = type.size() >= 2 && std::string_view("cmr").contains(type[0]) && type[1] == '5';
  return is_fifth || type.contains("t3") || type.contains("z1d");
}

/// Whether the pod may have an EBS volume. For most pods this spares the pass over all nodes; to ask for any
/// volume would not, because nearly every pod has one for its token.
bool may_have_ebs(const Pod& pod) {
  return std::ranges::any_of(pod.spec.volumes, [](const Volume& volume) {
    return volume.source == VolumeSource::kAwsElasticBlockStore ||
           volume.source == VolumeSource::kPersistentVolumeClaim;
  });
}

/// The instance types of the request's nodes that are nitro types, sorted. Types are few and nodes are many.
std::vector<Symbol> nitro_types(const Request& request, const InstanceTypes& type_of) {
  std::vector<Symbol> types;
  for (const NodeId node : request.nodes)
    if (const Symbol type = type_of(node); type != kNone && (types.empty() || types.back() != type))
      types.push_back(type);
  std::ranges::sort(types);
  const auto repeated = std::ranges::unique(types);
  types.erase(repeated.begin(), repeated.end());
  std::erase_if(types, [&](Symbol type) { return !is_nitro(request.view.text(type)); });
  return types;
}

}  // namespace

DefaultLimit default_ebs_limit(const Request& request, bool stable_label) {
  if (!may_have_ebs(request.pod)) return kUsual;
  const Column<Symbol> beta = request.view.label("beta.kubernetes.io/instance-type");
  const InstanceTypes type_of{beta,
                              stable_label ? request.view.label("node.kubernetes.io/instance-type") : beta};
  if (type_of.beta.empty() && type_of.stable.empty()) return kUsual;
  return {kUsual, type_of, nitro_types(request, type_of), kNitro};
}

namespace {

/// The limit of EBS volumes. @tparam kStableLabel  both labels of the instance type are read.
template <bool kStableLabel>
InTreeLimit ebs_limit(const Request& request, const Arguments& arguments) {
  return {.limit = kEbsLimit,
          .default_limit = default_ebs_limit(request, kStableLabel),
          .by_node = limits_by_node(arguments)};
}

/// The limit of another kind of disk: `kUsually`, where nothing else sets it.
template <const std::string_view& kLimit, std::int64_t kUsually, std::uint8_t kMigrated = 0>
InTreeLimit disk_limit(const Request&, const Arguments& arguments) {
  return {.limit = kLimit,
          .default_limit = kUsually,
          .by_node = limits_by_node(arguments),
          .migrated = kMigrated};
}

}  // namespace

std::unique_ptr<const Predicate> max_ebs_volume_count(const Request& request, const Arguments& arguments) {
  return max_volume_count(request, ebs_limit</*kStableLabel=*/false>(request, arguments));
}

// MaxGCEPDVolumeCount: a node has at most 16 GCE persistent disks attached, unless it sets another limit
// (see max_volume_count).
// Upstream: predicates.go MaxPDVolumeCountChecker v1.16.15.

BindPredicate max_gce_pd_volume_count;

std::unique_ptr<const Predicate> max_gce_pd_volume_count(const Request& request, const Arguments& arguments) {
  return max_volume_count(request, disk_limit<kGcePdLimit, 16>(request, arguments));
}

// MaxAzureDiskVolumeCount: a node has at most 16 Azure disks attached, unless it sets another limit
// (see max_volume_count).
// Upstream: predicates.go MaxPDVolumeCountChecker v1.16.15.

BindPredicate max_azure_disk_volume_count;

std::unique_ptr<const Predicate> max_azure_disk_volume_count(const Request& request,
                                                             const Arguments& arguments) {
  return max_volume_count(request, disk_limit<kAzureDiskLimit, 16>(request, arguments));
}

// MaxCinderVolumeCount: a node has at most 256 Cinder volumes attached, unless it sets another limit
// (see max_volume_count).
// Upstream: predicates.go MaxPDVolumeCountChecker v1.16.15.

BindPredicate max_cinder_volume_count;

std::unique_ptr<const Predicate> max_cinder_volume_count(const Request& request, const Arguments& arguments) {
  return max_volume_count(request, disk_limit<kCinderLimit, 256>(request, arguments));
}

}  // namespace winnow::predicates

namespace winnow::predicates::removed {

// EBSLimits: a node has at most 39 EBS volumes attached, or 25 if its instance type is a nitro type, unless
// it sets another limit (see max_volume_count). Both labels of the instance type are read; where they differ,
// upstream takes either, and here it is the stable one. Upstream: plugins/nodevolumelimits/non_csi.go
// v1.22.17 at its default feature gates.

BindPredicate ebs_limits;

std::unique_ptr<const Predicate> ebs_limits(const Request& request, const Arguments& arguments) {
  return max_volume_count(request, ebs_limit</*kStableLabel=*/true>(request, arguments));
}

// GCEPDLimits: a node has at most 16 GCE persistent disks attached, unless it sets another limit (see
// max_volume_count).
// Upstream: plugins/nodevolumelimits/non_csi.go v1.22.17 at its default feature gates.

BindPredicate gce_pd_limits;

std::unique_ptr<const Predicate> gce_pd_limits(const Request& request, const Arguments& arguments) {
  return max_volume_count(request, disk_limit<kGcePdLimit, 16>(request, arguments));
}

// AzureDiskLimits: a node has at most 16 Azure disks attached, unless it sets another limit (see
// max_volume_count).
// Upstream: plugins/nodevolumelimits/non_csi.go v1.22.17 at its default feature gates.

BindPredicate azure_disk_limits;

std::unique_ptr<const Predicate> azure_disk_limits(const Request& request, const Arguments& arguments) {
  return max_volume_count(request, disk_limit<kAzureDiskLimit, 16>(request, arguments));
}

// CinderLimits: a node has at most 256 Cinder volumes attached, unless it sets another limit (see
// max_volume_count).
// A node whose CSINode says that Cinder has been migrated to its CSI driver passes: the feature gate for that
// was on in v1.22, and those of the other kinds were off.
// Upstream: plugins/nodevolumelimits/non_csi.go v1.22.17 at its default feature gates.

BindPredicate cinder_limits;

std::unique_ptr<const Predicate> cinder_limits(const Request& request, const Arguments& arguments) {
  return max_volume_count(request, disk_limit<kCinderLimit, 256, kMigratesCinder>(request, arguments));
}

}  // namespace winnow::predicates::removed

namespace winnow::predicates {

// The records.

namespace {

using LimitOf = InTreeLimit(const Request&, const Arguments&);

template <LimitOf* kLimitOf>
std::unique_ptr<const CauseFinder> causes_of_count(const Request& request, const Arguments& arguments) {
  return find_excess(request, kLimitOf(request, arguments));
}

constexpr Record kVolumeLimitsRecords[] = {
    {.name = "MaxEBSVolumeCount",
     .origin = RuleOrigin::kClassic,
     .bind = max_ebs_volume_count,
     .needs = needs::kAttachLimits,
     .follows_by = kBoundAgain,
     .causes = causes_of_count<ebs_limit</*kStableLabel=*/false>>,
     .by_default = AtGates::kAllGates},
    {.name = "MaxGCEPDVolumeCount",
     .origin = RuleOrigin::kClassic,
     .bind = max_gce_pd_volume_count,
     .needs = needs::kAttachLimits,
     .follows_by = kBoundAgain,
     .causes = causes_of_count<disk_limit<kGcePdLimit, 16>>,
     .by_default = AtGates::kAllGates},
    {.name = "MaxAzureDiskVolumeCount",
     .origin = RuleOrigin::kClassic,
     .bind = max_azure_disk_volume_count,
     .needs = needs::kAttachLimits,
     .follows_by = kBoundAgain,
     .causes = causes_of_count<disk_limit<kAzureDiskLimit, 16>>,
     .by_default = AtGates::kAllGates},
    {.name = "MaxCinderVolumeCount",
     .origin = RuleOrigin::kClassic,
     .bind = max_cinder_volume_count,
     .needs = needs::kAttachLimits,
     .follows_by = kBoundAgain,
     .causes = causes_of_count<disk_limit<kCinderLimit, 256>>},
    {.name = "EBSLimits",
     .origin = RuleOrigin::kRemoved,
     .bind = removed::ebs_limits,
     .needs = needs::kVolumes,
     .follows_by = kBoundAgain,
     .causes = causes_of_count<ebs_limit</*kStableLabel=*/true>>,
     .checks = "the limit of EBS volumes",
     .turned_by_eviction = has_volumes,
     .may_skip = false,
     .releases = {{.release = Release::k1_18, .points = points::kFilter},
                  {.release = Release::k1_28, .points = points::kPreFilterAndFilter},
                  {.release = Release::k1_37, .points = points::kFilter}}},
    {.name = "GCEPDLimits",
     .origin = RuleOrigin::kRemoved,
     .bind = removed::gce_pd_limits,
     .needs = needs::kVolumes,
     .follows_by = kBoundAgain,
     .causes = causes_of_count<disk_limit<kGcePdLimit, 16>>,
     .checks = "the limit of GCE persistent disks",
     .turned_by_eviction = has_volumes,
     .may_skip = false,
     .releases = {{.release = Release::k1_18, .points = points::kFilter},
                  {.release = Release::k1_28, .points = points::kPreFilterAndFilter},
                  {.release = Release::k1_37, .points = points::kFilter}}},
    {.name = "AzureDiskLimits",
     .origin = RuleOrigin::kRemoved,
     .bind = removed::azure_disk_limits,
     .needs = needs::kVolumes,
     .follows_by = kBoundAgain,
     .causes = causes_of_count<disk_limit<kAzureDiskLimit, 16>>,
     .checks = "the limit of Azure disks",
     .turned_by_eviction = has_volumes,
     .may_skip = false,
     .releases = {{.release = Release::k1_18, .points = points::kFilter},
                  {.release = Release::k1_28, .points = points::kPreFilterAndFilter},
                  {.release = Release::k1_37, .points = points::kFilter}}},
    {.name = "CinderLimits",
     .origin = RuleOrigin::kRemoved,
     .bind = removed::cinder_limits,
     .needs = needs::kAttachLimits,
     .follows_by = kBoundAgain,
     .causes = causes_of_count<disk_limit<kCinderLimit, 256, kMigratesCinder>>,
     .checks = "the limit of Cinder volumes",
     .turned_by_eviction = has_volumes,
     .may_skip = false,
     .releases = {{.release = Release::k1_18, .points = points::kFilter},
                  {.release = Release::k1_28, .points = points::kPreFilterAndFilter},
                  {.release = Release::k1_37, .points = points::kFilter}}},
};

}  // namespace

Records volume_limits_records;

std::span<const Record> volume_limits_records() { return kVolumeLimitsRecords; }

}  // namespace winnow::predicates
