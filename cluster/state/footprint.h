// The footprint of a pod: the resources that it takes from its node.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/state/pod_requests.h"
#include "cluster/state/pool.h"

namespace winnow {

enum class Accounting : std::uint8_t;
enum class Generation : std::uint8_t;
struct Dictionaries;
struct Disk;

/// The sum of what a pod adds to its node: requests, host ports, inline disks and volumes to attach. The
/// latter are the inline ones in `attachables`, and claims by name. A claim's volume may change; see Volumes.
/// Scalar resources are named by symbols. Each id holds a reference.
struct Footprint {
  PodRequests requests;  ///< The `scalars` in it are empty: they are in the next member.
  std::vector<std::pair<Symbol, std::int64_t>> scalars;
  std::vector<HostPort> ports;
  std::vector<std::uint32_t> disks;
  std::vector<std::uint32_t> attachables;
  std::vector<Symbol> claims;  ///< Of Dictionaries::claims; see claim_key().

  bool operator==(const Footprint&) const = default;
};

/// A pod's footprint, with a reference for each id; release_footprint() gives them back.
/// @param generation  the generation whose reading of ports and volumes holds.
Footprint acquire_footprint(Dictionaries& names, const Pod& pod, Accounting accounting,
                            Generation generation);
void release_footprint(Dictionaries& names, const Footprint& footprint);

/// The volume as a Disk, if it is of a kind that NoDiskConflict checks.
std::optional<Disk> as_disk(const Volume& volume);

/// The host ports of a pod's containers; today also those of its sidecars. The pointers are into `pod`.
/// Upstream: pkg/scheduler/util/utils.go GetContainerPorts v1.16.15, GetHostPorts v1.37.0.
std::vector<const ContainerPort*> host_ports(const PodSpec& pod, Generation generation);

inline constexpr std::string_view kAnyAddress = "0.0.0.0";
inline std::string_view port_address(const ContainerPort& port) {
  return port.host_ip.empty() ? kAnyAddress : std::string_view(port.host_ip);
}
inline std::string_view port_protocol(const ContainerPort& port) {
  return port.protocol.empty() ? std::string_view("TCP") : std::string_view(port.protocol);
}

}  // namespace winnow
