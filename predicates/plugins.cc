#include "predicates/plugins.h"

#include <algorithm>

#include "cluster/rule/arguments.h"
#include "predicates/rules.h"

namespace winnow::predicates::today {
namespace {

using Victims = std::span<const PodSpec* const>;

bool has_host_port(const Container& container) {
  return std::ranges::any_of(container.ports, [](const ContainerPort& port) { return port.host_port != 0; });
}

bool keeps_apart(const PodSpec& spec) {
  return spec.affinity && spec.affinity->pod_anti_affinity &&
         !spec.affinity->pod_anti_affinity->required.empty();
}

bool joins(const PodSpec& spec) {
  return spec.affinity && spec.affinity->pod_affinity && !spec.affinity->pod_affinity->required.empty();
}

}  // namespace

bool always(const PodSpec&, Victims) { return true; }

bool needs_room(const PodSpec&, Victims) { return true; }

bool needs_host_ports(const PodSpec& pod, Victims) {
  return std::ranges::any_of(pod.containers, has_host_port) ||
         std::ranges::any_of(pod.init_containers, has_host_port);
}

bool is_joined_or_kept_apart(const PodSpec& pod, Victims victims) {
  return joins(pod) || keeps_apart(pod) ||
         std::ranges::any_of(victims, [](const PodSpec* victim) { return keeps_apart(*victim); });
}

bool is_spread(const PodSpec& pod, Victims) {
  return std::ranges::any_of(pod.topology_spread_constraints, [](const TopologySpreadConstraint& one) {
    return one.when_unsatisfiable != "ScheduleAnyway";
  });
}

bool has_volumes(const PodSpec& pod, Victims) {
  return std::ranges::any_of(pod.volumes, [](const Volume& volume) {
    return volume.source != VolumeSource::kOther && volume.source != VolumeSource::kImage;
  });
}

BindPredicate inter_pod_affinity, node_affinity, node_declared_features, node_name, node_ports,
    node_resources_fit, node_unschedulable, node_volume_limits, pod_topology_spread, taint_toleration,
    volume_binding, volume_restrictions, volume_zone;
}  // namespace winnow::predicates::today

namespace winnow::predicates::removed {
BindPredicate azure_disk_limits, cinder_limits, ebs_limits, gce_pd_limits, node_label, service_affinity;
today::UsesPreFilter has_affinity_labels;
}  // namespace winnow::predicates::removed

namespace winnow::predicates::today {
namespace {

constexpr WatchedKinds kLimits = needs::kAttachLimits | kind_of<CsiDriver> | kind_of<VolumeAttachment>;

constexpr Row kPlugins[] = {
    {.name = "NodeName",
     .bind = node_name,
     .needs = needs::kNothing,
     .checks = "a pod's spec.nodeName",
     .classic = {.predicate = "GeneralPredicates", .also = "HostName"},
     .best = Best::kWinnow,
     .turned_by_eviction = nullptr,
     .may_skip = false},
    {.name = "NodeUnschedulable",
     .bind = node_unschedulable,
     .needs = needs::kNothing,
     .checks = "cordoned nodes",
     .classic = {.predicate = "CheckNodeUnschedulable", .also = "CheckNodeCondition"},
     .best = Best::kWinnow,
     .turned_by_eviction = nullptr,
     .may_skip = false},
    {.name = "TaintToleration",
     .bind = taint_toleration,
     .needs = needs::kNothing,
     .checks = "taints NoSchedule and NoExecute",
     .classic = {.predicate = "PodToleratesNodeTaints"},
     .best = Best::kWinnow,
     .turned_by_eviction = nullptr,
     .may_skip = false},
    {.name = "NodeAffinity",
     .bind = node_affinity,
     .needs = needs::kNothing,
     .checks = "nodeSelector and required node affinity",
     .classic = {.predicate = "GeneralPredicates", .also = "MatchNodeSelector"},
     .best = Best::kWinnow,
     .turned_by_eviction = nullptr},
    {.name = "NodePorts",
     .bind = node_ports,
     .needs = needs::kNothing,
     .checks = "host ports",
     .classic = {.predicate = "GeneralPredicates", .also = "PodFitsHostPorts", .skips_init_containers = true},
     .best = Best::kKubeScheduler,
     .turned_by_eviction = needs_host_ports,
     .without_pre_filter = "reading \"PreFilterNodePorts\" from cycleState: not found"},
    {.name = "NodeResourcesFit",
     .bind = node_resources_fit,
     .needs = needs::kResources,
     .checks = "requests of resources",
     .classic = {.predicate = "GeneralPredicates", .also = "PodFitsResources"},
     .best = Best::kKubeScheduler,
     .turned_by_eviction = needs_room,
     .without_pre_filter = "error reading \"PreFilterNodeResourcesFit\" from cycleState: not found"},
    {.name = "VolumeRestrictions",
     .bind = volume_restrictions,
     .needs = needs::kClaims,
     .checks = "inline disks in use and ReadWriteOncePod claims",
     .classic = {.predicate = "NoDiskConflict", .lacking = "ReadWriteOncePod claims"},
     .best = Best::kWinnow,
     .turned_by_eviction = has_volumes},
    {.name = "NodeVolumeLimits",
     .bind = node_volume_limits,
     .needs = kLimits,
     .checks = "volume limits of CSI drivers",
     .classic =
         {.predicate = "MaxCSIVolumeCountPred",
          .lacking =
              "volumes of in-tree kinds that a CSI driver attaches, and nodes without a volume's CSI driver"},
     .best = Best::kWinnow,
     .turned_by_eviction = has_volumes},
    {.name = "VolumeBinding",
     .bind = volume_binding,
     .needs = needs::kBinding,
     .checks = "volumes that are bound, or are to be",
     .classic = {.predicate = "CheckVolumeBinding", .lacking = "CSIStorageCapacity"},
     .best = Best::kKubeScheduler,
     .turned_by_eviction = nullptr,
     .without_pre_filter = "not found"},
    {.name = "VolumeZone",
     .bind = volume_zone,
     .needs = needs::kVolumes,
     .checks = "zones of volumes",
     .classic = {.predicate = "NoVolumeZoneConflict"},
     .best = Best::kWinnow,
     .turned_by_eviction = nullptr},
    {.name = "PodTopologySpread",
     .bind = pod_topology_spread,
     .needs = needs::kWorkloads,
     .checks = "hard topologySpreadConstraints",
     .classic = {.predicate = "EvenPodsSpread",
                 .lacking = "minDomains, matchLabelKeys, nodeAffinityPolicy and nodeTaintsPolicy of hard "
                            "topologySpreadConstraints"},
     .best = Best::kWinnow,
     .turned_by_eviction = is_spread,
     .without_pre_filter = "reading \"PreFilterPodTopologySpread\" from cycleState: not found"},
    {.name = "InterPodAffinity",
     .bind = inter_pod_affinity,
     .needs = needs::kNamespaces,
     .checks = "required pod affinity and anti-affinity",
     .classic = {.predicate = "MatchInterPodAffinity",
                 .lacking = "namespaceSelector of required pod affinity and anti-affinity"},
     .best = Best::kWinnow,
     .turned_by_eviction = is_joined_or_kept_apart,
     .without_pre_filter = "error reading \"PreFilterInterPodAffinity\" from cycleState: not found"},
    {.name = "NodeDeclaredFeatures",
     .bind = node_declared_features,
     .needs = needs::kNothing,
     .checks = "features that nodes declare",
     .classic = {.predicate = ""},
     .best = Best::kWinnow,
     .turned_by_eviction = nullptr,
     .without_pre_filter = "error reading \"PreFilterNodeDeclaredFeatures\" from cycle-state: not found"},
    // Of v1.22.17, which kube-scheduler no longer has. No PreFilter of that time skips.
    {.name = "NodeLabel",
     .bind = removed::node_label,
     .needs = needs::kNothing,
     .checks = "labels that a node must have or lack",
     .classic = {.predicate = ""},
     .best = Best::kOwn,
     .turned_by_eviction = nullptr,
     .may_skip = false},
    {.name = "ServiceAffinity",
     .bind = removed::service_affinity,
     .needs = kind_of<Service>,
     .checks = "node labels that a Service's pods share",
     .classic = {.predicate = ""},
     .best = Best::kOwn,
     .turned_by_eviction = always,
     .without_pre_filter = "error reading \"PreFilterServiceAffinity\" from cycleState: not found",
     .uses_pre_filter = removed::has_affinity_labels,
     .may_skip = false},
    {.name = "EBSLimits",
     .bind = removed::ebs_limits,
     .needs = needs::kVolumes,
     .checks = "the limit of EBS volumes",
     .classic = {.predicate = ""},
     .best = Best::kOwn,
     .turned_by_eviction = has_volumes,
     .may_skip = false},
    {.name = "GCEPDLimits",
     .bind = removed::gce_pd_limits,
     .needs = needs::kVolumes,
     .checks = "the limit of GCE persistent disks",
     .classic = {.predicate = ""},
     .best = Best::kOwn,
     .turned_by_eviction = has_volumes,
     .may_skip = false},
    {.name = "AzureDiskLimits",
     .bind = removed::azure_disk_limits,
     .needs = needs::kVolumes,
     .checks = "the limit of Azure disks",
     .classic = {.predicate = ""},
     .best = Best::kOwn,
     .turned_by_eviction = has_volumes,
     .may_skip = false},
    {.name = "CinderLimits",
     .bind = removed::cinder_limits,
     .needs = needs::kAttachLimits,
     .checks = "the limit of Cinder volumes",
     .classic = {.predicate = ""},
     .best = Best::kOwn,
     .turned_by_eviction = has_volumes,
     .may_skip = false},
};

}  // namespace

std::span<const Row> plugins() { return kPlugins; }

const Row* find_plugin(std::string_view name) {
  const auto row = std::ranges::find(kPlugins, name, &Row::name);
  return row == std::end(kPlugins) ? nullptr : &*row;
}

std::unique_ptr<const Predicate> fails(const Request&, const Arguments& arguments) {
  return std::make_unique<ErrorEverywhere>(std::get<FailsWith>(arguments).error);
}

}  // namespace winnow::predicates::today
