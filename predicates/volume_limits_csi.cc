// MaxCSIVolumeCountPred: a node has no more volumes of a CSI driver than its limit. The limit is set by the
// CSINode, or else by the Node's allocatable; without either there is none. Only volumes of claims count. A
// volume that the node has already never makes it fail, even if the node is over its limit.
// Upstream: csi_volume_predicate.go v1.16.15, CSI migration off.
#include <algorithm>
#include <format>
#include <memory>
#include <optional>

#include "cluster/rule/claims.h"
#include "cluster/rule/reasons.h"
#include "cluster/state/csi_migration.h"
#include "cluster/state/state.h"
#include "predicates/records.h"
#include "predicates/rules.h"
#include "predicates/volume_limits.h"

namespace winnow::predicates {

BindPredicate max_csi_volume_count;

namespace {

class MaxCsiVolumeCount final : public Predicate {
 public:
  MaxCsiVolumeCount(const View& view, std::vector<NewVolumes> drivers)
      : view_(view), drivers_(std::move(drivers)), nameless_(view.attach_limit(kErrorLimit).attached) {}

  void map(std::span<const NodeId> nodes, std::span<Verdict> out) const override {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (meets_nameless(nodes[i]))
        out[i] = Verdict::of(Fit::kError, 0b10);
      else if (!fits(nodes[i]))
        out[i] = Verdict::of(Fit::kUnschedulable, 0b01);
    }
  }
  std::span<const std::string> reasons() const override { return reasons_; }

 private:
  bool fits(NodeId node) const {
    return std::ranges::all_of(drivers_, [node](const NewVolumes& driver) {
      const std::int64_t limit = driver.limit(node);
      if (limit == AttachTable::kNoLimit) return true;
      const std::int64_t missing = driver.missing(node);
      return missing == 0 || driver.attached(node) + missing <= limit;
    });
  }
  /// Whether upstream meets a nameless claim: it reads the claims of a node's pods only if the
  /// node has any limit.
  bool meets_nameless(NodeId node) const { return nameless_[node] > 0 && view_.has_attach_limit(node); }

  const View& view_;
  const std::vector<NewVolumes> drivers_;
  const Column<std::int32_t> nameless_;
  const std::array<std::string, 2> reasons_{kTooManyVolumes, kNamelessClaimError};
};

}  // namespace

namespace {

/// The pod's volumes of CSI drivers, by the name of their limit.
std::map<std::string, NewVolumes> by_limit(const View& view, const std::vector<AttachableName>& found) {
  std::map<std::string, NewVolumes> drivers;
  for (const AttachableName& one : found)
    if (one.limit.starts_with(kCsiLimitPrefix))
      drivers.try_emplace(one.limit, view, one.limit).first->second.add(one);
  return drivers;
}

void add_excess(const std::string& driver, const NewVolumes& volumes, std::int64_t limit, NodeId node,
                std::vector<Cause>& causes) {
  const std::int64_t missing = volumes.missing(node), attached = volumes.attached(node);
  if (limit != AttachTable::kNoLimit && missing > 0 && attached + missing > limit)
    causes.push_back(limit_cause(driver, limit, attached, missing));
}

}  // namespace

std::unique_ptr<const Predicate> max_csi_volume_count(const Request& request, const Arguments& arguments) {
  if (!limits_by_node(arguments) || !has_volumes(request.pod.spec, {})) return nullptr;
  const auto found = attachables(request);
  if (!found) return std::make_unique<ErrorEverywhere>(found.error());
  std::vector<NewVolumes> drivers;
  for (auto& [limit, volumes] : by_limit(request.view, *found)) drivers.push_back(std::move(volumes));
  if (drivers.empty()) return nullptr;
  return std::make_unique<MaxCsiVolumeCount>(request.view, std::move(drivers));
}

FindCauses causes_of_max_csi_volume_count;

std::unique_ptr<const CauseFinder> causes_of_max_csi_volume_count(const Request& request, const Arguments&) {
  const auto found = attachables(request);
  if (!found) return everywhere(Cause{"error"}.with("error", found.error()));
  return make_cause_finder(
      [drivers = by_limit(request.view, *found)](NodeId node, std::vector<Cause>& causes) {
        for (const auto& [limit, volumes] : drivers)
          add_excess(limit, volumes, volumes.limit(node), node, causes);
      });
}

}  // namespace winnow::predicates

namespace winnow::predicates::today {

// NodeVolumeLimits: the node has the CSI drivers of the pod's volumes, where the CSIDriver demands that
// (preventPodSchedulingIfMissing). It has no more volumes of a driver than its CSINode allows; without a
// CSINode or a limit in it there is no limit.
// In-tree volumes count as volumes of the CSI drivers that replace them, but not on a node without a CSINode.
// A volume that only a VolumeAttachment puts on the node counts, and counts again for a new pod that mounts
// it. If several drivers are missing, upstream names any of them; here it is the first by name.
// Upstream: pkg/scheduler/framework/plugins/nodevolumelimits/csi.go v1.37.0.

BindPredicate node_volume_limits;
MakeTrial try_node_volume_limits;

namespace {

/// The pod's attachable volumes on one kind of node: nodes with a CSINode, or nodes without.
struct Volumes {
  AttachableNames names;
  Fit fit = Fit::kFits;  ///< If not kFits, all of those nodes fail, for `reason`.
  std::string reason;
};

void stop(Volumes& volumes, Fit fit, std::string reason) {
  volumes.fit = fit;
  volumes.reason = std::move(reason);
}

/// An AttachableName without a limit carries an error in its id. One without a driver counts under the limit
/// of its in-tree kind, which is another plugin's.
void add(Volumes& volumes, AttachableName&& one, bool has_csi_node) {
  if (one.migrated && !has_csi_node) return;
  if (one.driver.empty() && one.limit != kErrorLimit) return;
  if (one.limit == kErrorLimit)
    stop(volumes, Fit::kError, std::move(one.id));
  else
    volumes.names.add(std::move(one));
}

/// Upstream: filterAttachableVolumes for a new pod.
Volumes volumes_of(const Request& request, bool has_csi_node) {
  const Pod& pod = request.pod;
  Volumes result;
  for (const Volume& volume : pod.spec.volumes) {
    if (auto own = inline_attachable(volume, Generation::kToday)) {
      add(result, std::move(*own), has_csi_node);
    } else if (const auto name = claim_name(pod, volume, Generation::kToday)) {
      if (request.view.volumes().claim(pod.metadata.namespace_, *name)) {
        const std::string key = claim_key(pod, volume, Generation::kToday);
        for (AttachableName& one : request.view.volumes().attachables(key))
          add(result, std::move(one), has_csi_node);
      } else {
        stop(result, Fit::kUnresolvable,
             std::format("looking up PVC {0}/{1}: persistentvolumeclaim \"{1}\" not found",
                         pod.metadata.namespace_, *name));
      }
    }
    if (result.fit != Fit::kFits) break;
  }
  return result;
}

/// @param limit  of the node, or kNoLimit. @param missing  volumes that are to be attached.
bool has_room(std::int64_t limit, std::int64_t missing, std::int64_t attached) {
  return limit == AttachTable::kNoLimit || missing == 0 || attached + missing <= limit;
}

/// Whether the volume is of a kind that may be attached. Upstream skips pods that have none.
bool may_be_attached(const Volume& volume) {
  return volume.source == VolumeSource::kPersistentVolumeClaim || volume.source == VolumeSource::kEphemeral ||
         in_tree_plugin(volume.source);
}

class NodeVolumeLimits final : public Predicate {
 public:
  explicit NodeVolumeLimits(const Request& request)
      : view_(request.view),
        lists_(*request.reason_lists),
        csi_(view_.csi()),
        broken_(view_.attach_limit(kErrorLimit).attached) {
    for (const bool has_csi_node : {false, true})
      bind(kinds_[has_csi_node], volumes_of(request, has_csi_node));
  }

  void map(std::span<const NodeId> nodes, std::span<Verdict> out) const override {
    for (std::size_t i = 0; i < nodes.size(); ++i) out[i] = judge(nodes[i]);
  }
  std::span<const std::string> reasons() const override { return reasons_; }

  /// The pod's volumes of one driver.
  struct Driver {
    NewVolumes volumes;
    std::vector<AttachableName> names;
    Symbol limit;     ///< kNone: no node has a value for it, or a volume under it.
    Verdict missing;  ///< Of a node without the driver. It fits if the driver need not be there.
  };

  /// The verdict on a node where no count of volumes matters; nothing where one does.
  std::optional<Verdict> judge_uncounted(NodeId node) const {
    const std::uint8_t csi = csi_[node];
    const Kind& kind = kind_of(node);
    if (!kind.refusal.fits()) return kind.refusal;
    if (kind.drivers.empty()) return Verdict();
    for (const auto& [name, driver] : kind.drivers)
      if (!driver.missing.fits() && !driver.volumes.is_installed(node)) return driver.missing;
    if (!(csi & kHasAttachLimit)) return Verdict();
    return std::nullopt;
  }
  const std::map<std::string, Driver>& drivers_for(NodeId node) const { return kind_of(node).drivers; }
  /// The number of the node's volumes that make upstream fail.
  std::int32_t broken(NodeId node) const { return broken_[node]; }

 private:
  /// The pod's volumes on one kind of node, by driver; or the refusal of all such nodes.
  struct Kind {
    Verdict refusal;
    std::map<std::string, Driver> drivers;
  };

  void bind(Kind& kind, Volumes volumes) {
    if (volumes.fit != Fit::kFits) kind.refusal = lists_.verdict(volumes.fit, {volumes.reason});
    if (volumes.fit != Fit::kFits) return;
    for (const AttachableName& one : volumes.names.take()) {
      auto driver = kind.drivers.find(one.driver);
      if (driver == kind.drivers.end())
        driver = kind.drivers
                     .emplace(one.driver, Driver{NewVolumes(view_, one.limit),
                                                 {},
                                                 view_.names().limits.find(one.limit),
                                                 missing(one.driver)})
                     .first;
      driver->second.volumes.add(one);
      driver->second.names.push_back(one);
    }
  }

  /// The verdict on a node without the driver, which fits if the driver need not be there.
  Verdict missing(const std::string& driver) {
    const Store<CsiDriver>& drivers = view_.objects().of<CsiDriver>();
    const auto found = drivers.find(driver);
    if (found == drivers.end() || !found->second.prevent_pod_scheduling_if_missing) return Verdict();
    return lists_.verdict(Fit::kUnschedulable,
                          {std::format("{} CSI driver is not installed on the node", driver)});
  }

  /// The error that upstream meets in the volumes of the node's pods.
  const std::string& error_on(NodeId node) const {
    const Dictionaries& names = view_.names();
    for (const AttachTable::Use& use : view_.attached(node))
      if (const Attachable& one = names.attachables[use.volume]; names.limits[one.limit] == kErrorLimit)
        return one.id;
    return reasons_.front();
  }

  const Kind& kind_of(NodeId node) const { return kinds_[(csi_[node] & kHasCsiNode) != 0]; }

  Verdict judge(NodeId node) const {
    if (const std::optional<Verdict> verdict = judge_uncounted(node)) return *verdict;
    if (broken_[node] > 0) return lists_.verdict(Fit::kError, {error_on(node)});
    const bool fits = std::ranges::all_of(drivers_for(node), [node](const auto& driver) {
      const NewVolumes& volumes = driver.second.volumes;
      return has_room(volumes.by_driver(node), volumes.missing(node), volumes.attached(node));
    });
    return Verdict::one(fits, Fit::kUnschedulable);
  }

  const View& view_;
  ReasonLists& lists_;
  const Column<std::uint8_t> csi_;
  const Column<std::int32_t> broken_;  ///< Volumes by node that make upstream fail.
  const std::array<std::string, 1> reasons_{kTooManyVolumes};
  std::array<Kind, 2> kinds_;  ///< Nodes without a CSINode, and with one.
};

/// The node's volumes with their users, as pods leave the node and come.
class VolumeLimitsTrial final : public Trial {
 public:
  explicit VolumeLimitsTrial(const Request& request)
      : view_(request.view),
        rule_(std::make_shared<const NodeVolumeLimits>(request)),
        error_limit_(view_.names().limits.find(kErrorLimit)) {}

  void begin(NodeId node) override {
    uncounted_ = rule_->judge_uncounted(node);
    if (uncounted_) return;
    uses_ = view_.attached(node);
    broken_ = rule_->broken(node);
    counts_.clear();
    for (const auto& [name, driver] : rule_->drivers_for(node)) {
      const NewVolumes& volumes = driver.volumes;
      counts_.push_back({&driver, volumes.by_driver(node), volumes.missing(node), volumes.attached(node)});
    }
  }

  void change(PodId pod, std::int32_t by) override {
    if (uncounted_) return;
    const State& state = view_.state();
    const Footprint& footprint = state.footprint(state.pod(pod));
    for (const std::uint32_t volume : footprint.attachables) change_volume(volume, by);
    for (const Symbol claim : footprint.claims)
      if (const std::vector<std::uint32_t>* const volumes = state.volumes.attached_by(claim))
        for (const std::uint32_t volume : *volumes) change_volume(volume, by);
      else
        for (const AttachableName& one : state.volumes.attachables(state.names().claims[claim]))
          change_volume(id_of(one), by);
  }

  bool fits() const override {
    if (uncounted_) return uncounted_->fits();
    return broken_ == 0 && std::ranges::all_of(counts_, [](const Count& count) {
             return has_room(count.limit, count.missing, count.attached);
           });
  }

  std::unique_ptr<Trial> copy() const override { return std::make_unique<VolumeLimitsTrial>(*this); }

 private:
  /// Of one driver.
  struct Count {
    const NodeVolumeLimits::Driver* driver;
    std::int64_t limit, missing, attached;
  };
  /// A volume that no node has. Only a nominated pod brings one.
  struct NewVolume {
    AttachableName name;
    Symbol limit;
  };
  static constexpr std::uint32_t kFirstNew = 0x80000000;  ///< The id of new_[0]; no pool grows so large.

  std::uint32_t id_of(const AttachableName& volume) {
    if (const std::uint32_t id = view_.attachable(volume); id != kNone) return id;
    const auto known = std::ranges::find(new_, volume, &NewVolume::name);
    if (known == new_.end()) new_.push_back({volume, view_.names().limits.find(volume.limit)});
    const auto place = std::ranges::find(new_, volume, &NewVolume::name) - new_.begin();
    return kFirstNew + static_cast<std::uint32_t>(place);
  }

  Symbol limit_of(std::uint32_t volume) const {
    return volume < kFirstNew ? view_.names().attachables[volume].limit : new_[volume - kFirstNew].limit;
  }
  std::int64_t wanted(const Count& count, std::uint32_t volume) const {
    if (volume < kFirstNew) return count.driver->volumes.wanted(volume);
    return std::ranges::count(count.driver->names, new_[volume - kFirstNew].name);
  }

  void change_volume(std::uint32_t volume, std::int32_t by) {
    auto use = std::ranges::lower_bound(uses_, volume, {}, &AttachTable::Use::volume);
    if (use == uses_.end() || use->volume != volume) use = uses_.insert(use, {volume, 0, 0});
    const bool had_pods = use->pods > 0, was_there = had_pods || use->objects > 0;
    use->pods += static_cast<std::uint32_t>(by);
    const bool has_pods = use->pods > 0, is_there = has_pods || use->objects > 0;
    const Symbol limit = limit_of(volume);
    if (limit == error_limit_ && limit != kNone) broken_ += (is_there ? 1 : 0) - (was_there ? 1 : 0);
    for (Count& count : counts_) {
      if (count.driver->limit == limit) count.attached += (is_there ? 1 : 0) - (was_there ? 1 : 0);
      count.missing += ((had_pods ? 1 : 0) - (has_pods ? 1 : 0)) * wanted(count, volume);
    }
  }

  const View& view_;
  std::shared_ptr<const NodeVolumeLimits> rule_;
  Symbol error_limit_;
  std::optional<Verdict> uncounted_;    ///< Set: the node's verdict, whatever volumes it has.
  std::vector<AttachTable::Use> uses_;  ///< Sorted. One that nobody uses any more stays.
  std::vector<Count> counts_;
  std::int32_t broken_ = 0;
  std::vector<NewVolume> new_;
};

}  // namespace

FindCauses causes_of_node_volume_limits;

namespace {

/// The claims of the pod that are not there: upstream looks them all up before it counts.
std::vector<Cause> missing_claims(const Request& request) {
  std::vector<Cause> causes;
  const std::string& ns = request.pod.metadata.namespace_;
  for (const Volume& volume : request.pod.spec.volumes) {
    const std::optional<std::string> name = claim_name(request.pod, volume, Generation::kToday);
    if (name && !request.view.volumes().claim(ns, *name)) causes.push_back(missing_claim(ns, *name));
  }
  return causes;
}

}  // namespace

std::unique_ptr<const CauseFinder> causes_of_node_volume_limits(const Request& request, const Arguments&) {
  return make_cause_finder([rule = std::make_shared<const NodeVolumeLimits>(request),
                            missing = missing_claims(request)](NodeId node, std::vector<Cause>& causes) {
    causes.insert(causes.end(), missing.begin(), missing.end());
    for (const auto& [name, driver] : rule->drivers_for(node)) {
      if (!driver.missing.fits() && !driver.volumes.is_installed(node))
        causes.push_back(Cause{"driver"}.with("driver", name));
      else
        add_excess(name, driver.volumes, driver.volumes.by_driver(node), node, causes);
    }
  });
}

std::unique_ptr<const Predicate> node_volume_limits(const Request& request, const Arguments&) {
  if (std::ranges::none_of(request.pod.spec.volumes, may_be_attached)) return nullptr;
  return std::make_unique<NodeVolumeLimits>(request);
}

std::unique_ptr<Trial> try_node_volume_limits(const Request& request, const Arguments&) {
  return std::make_unique<VolumeLimitsTrial>(request);
}

}  // namespace winnow::predicates::today

namespace winnow::predicates {

// The records.

namespace {

constexpr Record kVolumeLimitsCsiRecords[] = {
    {.name = "MaxCSIVolumeCountPred",
     .origin = RuleOrigin::kClassic,
     .bind = max_csi_volume_count,
     .needs = needs::kAttachLimits,
     .follows_by = kBoundAgain,
     .causes = causes_of_max_csi_volume_count,
     .by_default = AtGates::kAllGates},
    {.name = "NodeVolumeLimits",
     .origin = RuleOrigin::kToday,
     .bind = today::node_volume_limits,
     .needs = needs::kAttachLimits | kind_of<CsiDriver> | kind_of<VolumeAttachment>,
     .follows_by = today::try_node_volume_limits,
     .causes = today::causes_of_node_volume_limits,
     .checks = "volume limits of CSI drivers",
     .classic = {.predicate = "MaxCSIVolumeCountPred",
                 .lacking = "volumes of in-tree kinds that a CSI driver attaches, and nodes without a "
                            "volume's CSI driver"},
     .turned_by_eviction = has_volumes,
     .releases = {{.release = Release::k1_18, .points = points::kFilter},
                  {.release = Release::k1_28, .points = points::kPreFilterAndFilter}}},
};

}  // namespace

Records volume_limits_csi_records;

std::span<const Record> volume_limits_csi_records() { return kVolumeLimitsCsiRecords; }

}  // namespace winnow::predicates
