// How much of a device's capacities a request takes, and whether that much is left.
// Upstream: k8s.io/dynamic-resource-allocation v0.37.2 structured/internal/incubating/consumable_capacity.go,
// with the gate DRAFractionalCapacityRange off.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "cluster/api/device.h"
#include "cluster/devices/held_devices.h"

namespace winnow {

/// What a request takes of a device's capacities, in the order of their names.
using CapacityShare = std::vector<Quantity>;

/// A request with its device, and what is taken of that device already.
struct CapacityQuestion {
  const DeviceCapacities& capacities;
  /// capacity.requests; null if there is none.
  const ResourceList* requests = nullptr;
  /// What claims hold; null if nothing.
  const TakenCapacity* taken = nullptr;
  /// What is about to be taken; null if nothing.
  const CapacityShare* allocating = nullptr;
};

/// Why a request does not fit a device.
struct CapacityShortage {
  enum class Kind : std::uint8_t {
    kFits,       ///< It fits.
    kMissing,    ///< The device has no capacity of that name.
    kPolicy,     ///< The device's policy has no such amount.
    kExhausted,  ///< Less is left.
  };
  Kind kind = Kind::kFits;
  std::string name;
  Quantity want;
  Quantity have;  ///< What is left; may be below zero.
};

/// What the request takes, or upstream's error, which ends the whole allocation: an amount that cannot be
/// computed with, or is below zero. Of several errors upstream gives any, this the first by name.
std::expected<CapacityShare, std::string> capacity_share(const DeviceCapacities& capacities,
                                                         const ResourceList* requests);

/// Whether the request fits the device, or the error of capacity_share().
/// Upstream: CmpRequestOverCapacity.
std::expected<CapacityShortage, std::string> find_shortage(const CapacityQuestion& question);

}  // namespace winnow
