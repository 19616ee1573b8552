// NodeVolumeLimits: the node has the CSI drivers of the pod's volumes, where the CSIDriver demands that
// (preventPodSchedulingIfMissing). It has no more volumes of a driver than its CSINode allows; without a
// CSINode or a limit in it there is no limit.
// In-tree volumes count as volumes of the CSI drivers that replace them, but not on a node without a CSINode.
// A volume that only a VolumeAttachment puts on the node counts, and counts again for a new pod that mounts
// it. If several drivers are missing, upstream names any of them; here it is the first by name.
// Upstream: pkg/scheduler/framework/plugins/nodevolumelimits/csi.go v1.37.0.
#include <algorithm>
#include <format>

#include "cluster/rule/reasons.h"
#include "cluster/rule/volumes/pod_claims.h"
#include "cluster/state/attach/csi_migration.h"
#include "predicates/volume_counts.h"

namespace winnow::predicates::today {

BindPredicate node_volume_limits;

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

/// An AttachableName without a limit carries an error in its id.
void add(Volumes& volumes, AttachableName&& one, bool has_csi_node) {
  if (one.migrated && !has_csi_node) return;
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

 private:
  struct Driver {
    NewVolumes volumes;
    Verdict missing;  ///< Of a node without the driver. It fits if the driver need not be there.
  };
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
        driver =
            kind.drivers.emplace(one.driver, Driver{NewVolumes(view_, one.limit), missing(one.driver)}).first;
      driver->second.volumes.add(one);
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

  Verdict judge(NodeId node) const {
    const std::uint8_t csi = csi_[node];
    const Kind& kind = kinds_[(csi & kHasCsiNode) != 0];
    if (!kind.refusal.fits()) return kind.refusal;
    if (kind.drivers.empty()) return Verdict();
    for (const auto& [name, driver] : kind.drivers)
      if (!driver.missing.fits() && !driver.volumes.is_installed(node)) return driver.missing;
    if (!(csi & kHasAttachLimit)) return Verdict();
    if (broken_[node] > 0) return lists_.verdict(Fit::kError, {error_on(node)});
    const bool fits = std::ranges::all_of(
        kind.drivers, [node](const auto& driver) { return has_room(driver.second.volumes, node); });
    return Verdict::one(fits, Fit::kUnschedulable);
  }

  static bool has_room(const NewVolumes& volumes, NodeId node) {
    const std::int64_t limit = volumes.by_driver(node);
    if (limit == AttachTable::kNoLimit) return true;
    const std::int64_t missing = volumes.missing(node);
    return missing == 0 || volumes.attached(node) + missing <= limit;
  }

  const View& view_;
  ReasonLists& lists_;
  const Column<std::uint8_t> csi_;
  const Column<std::int32_t> broken_;  ///< Volumes by node that make upstream fail.
  const std::array<std::string, 1> reasons_{kTooManyVolumes};
  std::array<Kind, 2> kinds_;  ///< Nodes without a CSINode, and with one.
};

}  // namespace

std::unique_ptr<const Predicate> node_volume_limits(const Request& request, const Arguments&) {
  if (std::ranges::none_of(request.pod.spec.volumes, may_be_attached)) return nullptr;
  return std::make_unique<NodeVolumeLimits>(request);
}

}  // namespace winnow::predicates::today
