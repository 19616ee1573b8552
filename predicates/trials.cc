#include "predicates/trials.h"

#include <algorithm>

#include "predicates/rules.h"

namespace winnow::predicates {

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
