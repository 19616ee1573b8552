// Needs: the set of kinds that a rule reads.
#pragma once

#include <cstdint>

#include "cluster/api/kinds.h"

namespace winnow {

/// A set of kinds, as one bit each.
class Needs {
 public:
  constexpr Needs() = default;
  constexpr Needs(ResourceKind kind) : bits_(std::uint32_t{1} << static_cast<unsigned>(kind)) {}

  constexpr bool has(ResourceKind kind) const { return (bits_ & Needs(kind).bits_) != 0; }
  constexpr Needs operator|(Needs other) const { return Needs(bits_ | other.bits_); }
  constexpr Needs& operator|=(Needs other) { return *this = *this | other; }
  constexpr bool operator==(const Needs&) const = default;

 private:
  static_assert(kResourceKinds <= 32);
  constexpr explicit Needs(std::uint32_t bits) : bits_(bits) {}
  std::uint32_t bits_ = 0;
};
constexpr Needs operator|(ResourceKind a, ResourceKind b) { return Needs(a) | Needs(b); }

/// The needs that a rule can have in its row of the table. Every rule may read nodes and pods, so they are
/// not listed.
namespace needs {
inline constexpr Needs kNothing{};
/// What decides whether a resource is one of nodes, or provided by devices.
inline constexpr Needs kResources = kind_of<DeviceClass>;
inline constexpr Needs kNamespaces = kind_of<Namespace>;
inline constexpr Needs kServices = kind_of<Service>;
inline constexpr Needs kWorkloads =
    kind_of<Service> | kind_of<ReplicationController> | kind_of<ReplicaSet> | kind_of<StatefulSet>;
inline constexpr Needs kClaims = kind_of<PersistentVolumeClaim>;
inline constexpr Needs kVolumes = kClaims | kind_of<PersistentVolume> | kind_of<StorageClass>;
inline constexpr Needs kAttachLimits = kVolumes | kind_of<CsiNode>;
inline constexpr Needs kBinding = kAttachLimits | kind_of<CsiDriver> | kind_of<CsiStorageCapacity>;
/// No rule has these: what cluster/expand reads of a cluster that new pods come into, beside nodes and pods.
inline constexpr Needs kNewPods =
    kind_of<PersistentVolumeClaim> | kind_of<StorageClass> | kind_of<PriorityClass> | kind_of<LimitRange>;
}  // namespace needs

}  // namespace winnow
