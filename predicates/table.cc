#include "predicates/table.h"

#include <algorithm>

#include "cluster/rule/arguments.h"
#include "predicates/rules.h"

namespace winnow::predicates {

BindPredicate check_node_condition, check_node_unschedulable, general_predicates, host_name, fits_host_ports,
    match_node_selector, match_inter_pod_affinity, even_pods_spread, fits_resources, no_disk_conflict,
    pod_tolerates_node_taints, pod_tolerates_node_no_execute_taints, check_node_label_presence,
    check_node_memory_pressure, check_node_pid_pressure, check_node_disk_pressure, check_service_affinity,
    max_ebs_volume_count, max_gce_pd_volume_count, max_csi_volume_count, max_azure_disk_volume_count,
    max_cinder_volume_count, check_volume_binding, no_volume_zone_conflict;

namespace {

constexpr Row kClassic[] = {
    {"CheckNodeCondition", check_node_condition, needs::kNothing},
    {"CheckNodeUnschedulable", check_node_unschedulable, needs::kNothing},
    {"GeneralPredicates", general_predicates, needs::kResources},
    {"HostName", host_name, needs::kNothing},
    {"PodFitsHostPorts", fits_host_ports, needs::kNothing},
    {"MatchNodeSelector", match_node_selector, needs::kNothing},
    {"PodFitsResources", fits_resources, needs::kResources},
    {"NoDiskConflict", no_disk_conflict, needs::kNothing},
    {"PodToleratesNodeTaints", pod_tolerates_node_taints, needs::kNothing},
    {"PodToleratesNodeNoExecuteTaints", pod_tolerates_node_no_execute_taints, needs::kNothing},
    {"CheckNodeLabelPresence", check_node_label_presence, needs::kNothing, kArgumentsIndex<LabelsPresence>},
    {"CheckServiceAffinity", check_service_affinity, needs::kServices,
     kArgumentsIndex<ServiceAffinityLabels>},
    {"MaxEBSVolumeCount", max_ebs_volume_count, needs::kAttachLimits},
    {"MaxGCEPDVolumeCount", max_gce_pd_volume_count, needs::kAttachLimits},
    {"MaxCSIVolumeCountPred", max_csi_volume_count, needs::kAttachLimits},
    {"MaxAzureDiskVolumeCount", max_azure_disk_volume_count, needs::kAttachLimits},
    {"MaxCinderVolumeCount", max_cinder_volume_count, needs::kAttachLimits},
    {"CheckVolumeBinding", check_volume_binding, needs::kAttachLimits},
    {"NoVolumeZoneConflict", no_volume_zone_conflict, needs::kVolumes},
    {"CheckNodeMemoryPressure", check_node_memory_pressure, needs::kNothing},
    {"CheckNodePIDPressure", check_node_pid_pressure, needs::kNothing},
    {"CheckNodeDiskPressure", check_node_disk_pressure, needs::kNothing},
    {"EvenPodsSpread", even_pods_spread, needs::kNothing},
    {"MatchInterPodAffinity", match_inter_pod_affinity, needs::kNothing},
};

/// An older name of a rule, which a Policy may still use.
struct Alias {
  std::string_view name, means;
};
constexpr Alias kAliases[] = {
    {"PodFitsPorts", "PodFitsHostPorts"},
    {"PodFitsHost", "HostName"},
    {"PodSelectorMatches", "MatchNodeSelector"},
};

}  // namespace

std::span<const Row> classic() { return kClassic; }

const Row* find_classic(std::string_view name) {
  if (const auto alias = std::ranges::find(kAliases, name, &Alias::name); alias != std::end(kAliases))
    name = alias->means;
  const auto row = std::ranges::find(kClassic, name, &Row::name);
  return row == std::end(kClassic) ? nullptr : &*row;
}

const Row* find_classic_taking(std::size_t argument) {
  const auto row = std::ranges::find(kClassic, argument, &Row::takes);
  return argument == 0 || row == std::end(kClassic) ? nullptr : &*row;
}

std::vector<std::string_view> classic_names() {
  std::vector<std::string_view> names;
  for (const Row& row : kClassic) names.push_back(row.name);
  for (const Alias& alias : kAliases) names.push_back(alias.name);
  return names;
}

BindPredicate check_node_condition, check_node_disk_pressure, check_node_label_presence,
    check_node_memory_pressure, check_node_pid_pressure, check_volume_binding, even_pods_spread,
    general_predicates, match_inter_pod_affinity, no_disk_conflict, no_volume_zone_conflict,
    pod_tolerates_node_no_execute_taints, pod_tolerates_node_taints;
MakeTrial try_even_pods_spread, try_general_predicates, try_match_inter_pod_affinity, try_no_disk_conflict;

namespace today {
BindPredicate inter_pod_affinity, node_affinity, node_declared_features, node_name, node_ports,
    node_resources_fit, node_unschedulable, node_volume_limits, pod_topology_spread, taint_toleration,
    volume_binding, volume_restrictions, volume_zone;
MakeTrial try_inter_pod_affinity, try_node_resources_fit, try_node_volume_limits, try_pod_topology_spread,
    try_volume_restrictions;
}  // namespace today

namespace removed {
BindPredicate node_label;
}  // namespace removed

namespace {

constexpr Following kFollowing[] = {
    {today::inter_pod_affinity, today::try_inter_pod_affinity},
    {today::node_affinity, nullptr},
    {today::node_declared_features, nullptr},
    {today::node_name, nullptr},
    {today::node_ports, try_fits_host_ports},
    {today::node_resources_fit, today::try_node_resources_fit},
    {today::node_unschedulable, nullptr},
    {today::node_volume_limits, today::try_node_volume_limits},
    {today::pod_topology_spread, today::try_pod_topology_spread},
    {today::taint_toleration, nullptr},
    {today::volume_binding, nullptr},
    {today::volume_restrictions, today::try_volume_restrictions},
    {today::volume_zone, nullptr},
    {removed::node_label, nullptr},
    {check_node_condition, nullptr},
    {check_node_disk_pressure, nullptr},
    {check_node_label_presence, nullptr},
    {check_node_memory_pressure, nullptr},
    {check_node_pid_pressure, nullptr},
    {check_node_unschedulable, nullptr},
    {check_volume_binding, nullptr},
    {even_pods_spread, try_even_pods_spread},
    {fits_host_ports, try_fits_host_ports},
    {fits_resources, try_fits_resources},
    {general_predicates, try_general_predicates},
    {host_name, nullptr},
    {match_inter_pod_affinity, try_match_inter_pod_affinity},
    {match_node_selector, nullptr},
    {no_disk_conflict, try_no_disk_conflict},
    {no_volume_zone_conflict, nullptr},
    {pod_tolerates_node_no_execute_taints, nullptr},
    {pod_tolerates_node_taints, nullptr},
};

}  // namespace

const Following* find_following(BindPredicate* rule) {
  const auto* const found = std::ranges::find(kFollowing, rule, &Following::rule);
  return found == std::end(kFollowing) ? nullptr : found;
}

}  // namespace winnow::predicates
