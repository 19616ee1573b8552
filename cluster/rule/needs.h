// What of the cluster a rule reads.
#pragma once

#include <cstdint>

namespace winnow {

enum class ResourceKind : std::uint8_t {
  kNodes,
  kPods,
  kNamespaces,
  kServices,
  kReplicationControllers,
  kReplicaSets,
  kStatefulSets,
  kPodDisruptionBudgets,
  kPersistentVolumes,
  kPersistentVolumeClaims,
  kStorageClasses,
  kCsiNodes,
  kCsiDrivers,
  kCsiStorageCapacities,
  kVolumeAttachments,
};
inline constexpr std::size_t kResourceKinds = 15;

/// A set of kinds.
class Needs {
 public:
  constexpr Needs() = default;
  constexpr Needs(ResourceKind kind) : bits_(std::uint32_t{1} << static_cast<unsigned>(kind)) {}

  constexpr bool has(ResourceKind kind) const { return (bits_ & Needs(kind).bits_) != 0; }
  /// Whether every kind of `other` is in this.
  constexpr bool covers(Needs other) const { return (other.bits_ & ~bits_) == 0; }
  constexpr Needs operator|(Needs other) const { return Needs(bits_ | other.bits_); }
  constexpr Needs& operator|=(Needs other) { return *this = *this | other; }
  constexpr bool operator==(const Needs&) const = default;

 private:
  constexpr explicit Needs(std::uint32_t bits) : bits_(bits) {}
  std::uint32_t bits_ = 0;
};
constexpr Needs operator|(ResourceKind a, ResourceKind b) { return Needs(a) | Needs(b); }

/// Beside nodes and pods, which every rule may read, what a rule names in its row of the table.
namespace needs {
inline constexpr Needs kNothing{};
inline constexpr Needs kNamespaces = ResourceKind::kNamespaces;
inline constexpr Needs kServices = ResourceKind::kServices;
inline constexpr Needs kWorkloads = ResourceKind::kServices | ResourceKind::kReplicationControllers |
                                    ResourceKind::kReplicaSets | ResourceKind::kStatefulSets;
inline constexpr Needs kClaims = ResourceKind::kPersistentVolumeClaims;
inline constexpr Needs kVolumes = kClaims | ResourceKind::kPersistentVolumes | ResourceKind::kStorageClasses;
inline constexpr Needs kAttachLimits = kVolumes | ResourceKind::kCsiNodes;
inline constexpr Needs kBinding =
    kAttachLimits | ResourceKind::kCsiDrivers | ResourceKind::kCsiStorageCapacities;
}  // namespace needs

}  // namespace winnow
