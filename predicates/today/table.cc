#include "predicates/today/table.h"

#include <algorithm>

#include "predicates/rules.h"

namespace winnow::predicates::today {

BindPredicate inter_pod_affinity, node_affinity, node_declared_features, node_name, node_ports,
    node_resources_fit, node_unschedulable, node_volume_limits, pod_topology_spread, taint_toleration,
    volume_binding, volume_restrictions, volume_zone;

namespace {

constexpr Needs kLimits = needs::kAttachLimits | ResourceKind::kCsiDrivers | ResourceKind::kVolumeAttachments;

constexpr Row kPlugins[] = {
    {"NodeName", node_name, needs::kNothing, "", /*may_skip=*/false},
    {"NodeUnschedulable", node_unschedulable, needs::kNothing, "", /*may_skip=*/false},
    {"TaintToleration", taint_toleration, needs::kNothing, "", /*may_skip=*/false},
    {"NodeAffinity", node_affinity},
    {"NodePorts", node_ports, needs::kNothing, "reading \"PreFilterNodePorts\" from cycleState: not found"},
    {"NodeResourcesFit", node_resources_fit, needs::kNothing,
     "error reading \"PreFilterNodeResourcesFit\" from cycleState: not found"},
    {"VolumeRestrictions", volume_restrictions, needs::kClaims},
    {"NodeVolumeLimits", node_volume_limits, kLimits},
    {"VolumeBinding", volume_binding, needs::kBinding, "not found"},
    {"VolumeZone", volume_zone, needs::kVolumes},
    {"PodTopologySpread", pod_topology_spread, needs::kWorkloads,
     "reading \"PreFilterPodTopologySpread\" from cycleState: not found"},
    {"InterPodAffinity", inter_pod_affinity, needs::kNamespaces,
     "error reading \"PreFilterInterPodAffinity\" from cycleState: not found"},
    {"NodeDeclaredFeatures", node_declared_features, needs::kNothing,
     "error reading \"PreFilterNodeDeclaredFeatures\" from cycle-state: not found"},
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
