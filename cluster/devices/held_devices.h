// Which devices are allocated, and to which claims.
// Upstream: kubernetes v1.37.2 pkg/scheduler/framework/plugins/dynamicresources/allocateddevices.go.
//
// Upstream keeps sets. There a device that two claims hold is free when one of them goes. Here it is held on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/api/device.h"
#include "cluster/devices/published.h"

namespace winnow {

/// The amounts of a device's capacities that are taken, by name.
using TakenCapacity = std::map<std::string, Quantity, std::less<>>;

/// The devices that a claim of a pod gets on a node.
struct ClaimedDevices {
  std::string claim;  ///< Its name, or kExtendedResourceClaim.
  std::string uid;    ///< Of a claim for extended resources extended_resource_claim_uid().
  DeviceAllocation allocation;

  bool operator==(const ClaimedDevices&) const = default;
};

/// Stands for the UID of the claim for a pod's extended resources, which kube-scheduler makes.
inline std::string extended_resource_claim_uid(std::string_view pod_uid) {
  return std::string(pod_uid) + "/extended-resources";
}

/// For whom an allocation is assumed.
struct AssumedFor {
  std::string pod_uid;
  std::string node;

  bool operator==(const AssumedFor&) const = default;
};

/// The allocation of a claim, as far as it holds devices.
struct Holding {
  std::string namespace_;
  std::string name;
  std::string uid;
  bool assumed = false;      ///< The API does not show it yet.
  AssumedFor assumed_for{};  ///< Where it is assumed.
  DeviceAllocation allocation;
  /// Of the allocation's devices; kNoDevice for those by admin access, which hold nothing.
  std::vector<DeviceId> ids;
};

/// A claim that holds a device.
struct DeviceHolder {
  const Holding* holding = nullptr;
  std::size_t index = 0;  ///< Of the device in the allocation.

  const AllocatedDevice& allocated() const { return holding->allocation.devices[index]; }
};

/// By device id, without their names.
class HeldDevices {
 public:
  /// Whether a claim has the device alone.
  bool is_held_alone(DeviceId id) const { return (states_[id] & kAlone) != 0; }
  /// Whether claims have shares of it.
  bool is_shared(DeviceId id) const { return (states_[id] & kShared) != 0; }
  /// Either.
  bool is_held(DeviceId id) const { return states_[id] != 0; }
  /// What the shares take.
  const TakenCapacity& taken(DeviceId id) const { return devices_[id].taken; }
  std::span<const DeviceHolder> holders(DeviceId id) const { return devices_[id].holders; }

  // For the inventory.

  void grow(std::size_t size);
  /// @return whether the device was free before, or is free now.
  bool hold(DeviceId id, DeviceHolder holder);
  bool release(DeviceId id, const Holding& holding, std::size_t index);

 private:
  static constexpr std::uint8_t kAlone = 1;
  static constexpr std::uint8_t kShared = 2;

  struct Entry {
    std::vector<DeviceHolder> holders;
    std::uint32_t alone = 0;
    std::uint32_t shares = 0;
    TakenCapacity taken;
  };

  bool update(DeviceId id);

  std::vector<std::uint8_t> states_;
  std::vector<Entry> devices_;
};

}  // namespace winnow
