#include "predicates/today/eviction.h"

#include <algorithm>

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

}  // namespace winnow::predicates::today
