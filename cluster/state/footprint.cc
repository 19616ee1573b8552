#include "cluster/state/footprint.h"

#include "cluster/api/generation.h"
#include "cluster/state/attachable.h"
#include "cluster/state/dictionaries.h"

namespace winnow {

std::optional<Disk> as_disk(const Volume& volume) {
  switch (volume.source) {
    case VolumeSource::kGcePersistentDisk:
    case VolumeSource::kAwsElasticBlockStore:
    case VolumeSource::kRbd:
    case VolumeSource::kIscsi:
      return Disk{volume.source, volume.id, volume.pool, volume.monitors, volume.read_only};
    default:
      return std::nullopt;
  }
}

std::vector<const ContainerPort*> host_ports(const PodSpec& pod, Generation generation) {
  std::vector<const ContainerPort*> ports;
  const auto add = [&](const Container& container) {
    for (const ContainerPort& port : container.ports)
      if (port.host_port > 0) ports.push_back(&port);
  };
  for (const Container& container : pod.containers) add(container);
  if (generation == Generation::kToday)
    for (const Container& container : pod.init_containers)
      if (container.restart_policy == "Always") add(container);
  return ports;
}

Footprint acquire_footprint(Dictionaries& names, const Pod& pod, Accounting accounting,
                            Generation generation) {
  Footprint footprint;
  footprint.requests = pod_requests(pod, accounting, /*with_status=*/true);
  for (const auto& [name, amount] : footprint.requests.scalars)
    footprint.scalars.emplace_back(names.symbols.acquire(name), amount);
  footprint.requests.scalars.clear();
  for (const ContainerPort* port : host_ports(pod.spec, generation))
    footprint.ports.push_back({names.symbols.acquire(port_address(*port)),
                               names.symbols.acquire(port_protocol(*port)), port->host_port});
  for (const Volume& volume : pod.spec.volumes) {
    if (const std::optional<Disk> disk = as_disk(volume))
      footprint.disks.push_back(names.disks.acquire(*disk));
    if (const std::optional<AttachableName> attachable = inline_attachable(volume, generation))
      footprint.attachables.push_back(acquire_attachable(names, *attachable));
    else if (const std::string claim = claim_key(pod, volume, generation); !claim.empty())
      footprint.claims.push_back(names.claims.acquire(claim));
    if (const auto in_tree = in_tree_attachable(volume); in_tree && generation == Generation::kToday)
      footprint.attachables.push_back(acquire_attachable(names, *in_tree));
  }
  return footprint;
}

void release_footprint(Dictionaries& names, const Footprint& footprint) {
  for (const auto& [name, amount] : footprint.scalars) names.symbols.release(name);
  for (const HostPort& port : footprint.ports) {
    names.symbols.release(port.address);
    names.symbols.release(port.protocol);
  }
  for (const std::uint32_t disk : footprint.disks) names.disks.release(disk);
  for (const std::uint32_t attachable : footprint.attachables) release_attachable(names, attachable);
  for (const Symbol claim : footprint.claims) names.claims.release(claim);
}

}  // namespace winnow
