#include "predicates/table.h"

#include <algorithm>

namespace winnow::predicates {

BindPredicate check_node_condition, check_node_unschedulable, general_predicates, host_name, fits_host_ports,
    match_node_selector, match_inter_pod_affinity, even_pods_spread, fits_resources, no_disk_conflict,
    pod_tolerates_node_taints, pod_tolerates_node_no_execute_taints, check_node_label_presence,
    check_node_memory_pressure, check_node_pid_pressure, check_node_disk_pressure, check_service_affinity,
    max_ebs_volume_count, max_gce_pd_volume_count, max_csi_volume_count, max_azure_disk_volume_count,
    max_cinder_volume_count, check_volume_binding, no_volume_zone_conflict;

namespace {

constexpr Row kClassic[] = {
    {"CheckNodeCondition", check_node_condition},
    {"CheckNodeUnschedulable", check_node_unschedulable},
    {"GeneralPredicates", general_predicates},
    {"HostName", host_name},
    {"PodFitsHostPorts", fits_host_ports},
    {"MatchNodeSelector", match_node_selector},
    {"PodFitsResources", fits_resources},
    {"NoDiskConflict", no_disk_conflict},
    {"PodToleratesNodeTaints", pod_tolerates_node_taints},
    {"PodToleratesNodeNoExecuteTaints", pod_tolerates_node_no_execute_taints},
    {"CheckNodeLabelPresence", check_node_label_presence, Takes::kLabelsPresence},
    {"CheckServiceAffinity", check_service_affinity, Takes::kServiceAffinity, needs::kServices},
    {"MaxEBSVolumeCount", max_ebs_volume_count, Takes::kNothing, needs::kAttachLimits},
    {"MaxGCEPDVolumeCount", max_gce_pd_volume_count, Takes::kNothing, needs::kAttachLimits},
    {"MaxCSIVolumeCountPred", max_csi_volume_count, Takes::kNothing, needs::kAttachLimits},
    {"MaxAzureDiskVolumeCount", max_azure_disk_volume_count, Takes::kNothing, needs::kAttachLimits},
    {"MaxCinderVolumeCount", max_cinder_volume_count, Takes::kNothing, needs::kAttachLimits},
    {"CheckVolumeBinding", check_volume_binding, Takes::kNothing, needs::kAttachLimits},
    {"NoVolumeZoneConflict", no_volume_zone_conflict, Takes::kNothing, needs::kVolumes},
    {"CheckNodeMemoryPressure", check_node_memory_pressure},
    {"CheckNodePIDPressure", check_node_pid_pressure},
    {"CheckNodeDiskPressure", check_node_disk_pressure},
    {"EvenPodsSpread", even_pods_spread},
    {"MatchInterPodAffinity", match_inter_pod_affinity},
};

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

std::vector<std::string_view> classic_names() {
  std::vector<std::string_view> names;
  for (const Row& row : kClassic) names.push_back(row.name);
  for (const Alias& alias : kAliases) names.push_back(alias.name);
  return names;
}

}  // namespace winnow::predicates
