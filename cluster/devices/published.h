// Slices of devices as the inventory keeps them: each device with numbers that stand for its name and its
// state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "cluster/api/device.h"

namespace winnow {

class DevicePool;

/// Stands for a driver, a pool and a device's name. Small numbers; they are used again.
using DeviceId = std::uint32_t;
inline constexpr DeviceId kNoDevice = ~DeviceId{0};

/// An amount that a device takes from a counter of its pool.
struct CounterUse {
  std::uint32_t counter = 0;  ///< Of CounterNames.
  Quantity amount;
};

/// A device of a slice.
struct PublishedDevice {
  const Device* device = nullptr;
  DeviceId id = kNoDevice;
  /// What is kept about a device is kept by slot and version. Two devices of one name have two slots, and
  /// what takes a slot over has another version. From 1.
  std::uint32_t slot = 0;
  std::uint32_t version = 0;
  std::uint32_t first_use = 0;  ///< Of PublishedSlice::uses.
  std::uint32_t uses : 28 = 0;
  std::uint32_t uses_counters : 1 = 0;
  std::uint32_t shared : 1 = 0;  ///< allowMultipleAllocations
  std::uint32_t tainted : 1 =
      0;  ///< It has a taint, of its own or by a rule, whose effect prevents allocation.
  /// A request without capacities may have all of it: no capacity has a policy, or is below zero.
  std::uint32_t plain_capacity : 1 = 1;
};

/// Which nodes a slice is for.
enum class SliceScope : std::uint8_t {
  kNode,
  kAllNodes,
  kSelector,
  kPerDevice,
  kUnknown,  ///< By a field that 1.37 does not know: no node.
};

struct PublishedSlice {
  // What each search reads comes first.
  std::vector<PublishedDevice> devices;
  DevicePool* pool = nullptr;
  SliceScope scope = SliceScope::kUnknown;
  /// A device has compatibility groups. 1.37 ignores such a slice, by a gate that is off.
  bool has_groups = false;
  /// Its devices do not count then.
  bool has_counter_sets = false;
  bool has_binding_conditions = false;
  const ResourceSlice* object = nullptr;
  std::vector<CounterUse> uses;
  std::vector<std::uint32_t> used_sets;  ///< The counter sets of the devices, of CounterNames.
  /// The rules that taint a device, by its index and in order of name.
  std::map<std::uint32_t, std::vector<const DeviceTaintRule*>> taint_rules;

  std::span<const CounterUse> uses_of(const PublishedDevice& device) const {
    return std::span(uses).subspan(device.first_use, device.uses);
  }
  std::size_t index_of(const PublishedDevice& device) const {
    return static_cast<std::size_t>(&device - devices.data());
  }
};

}  // namespace winnow
