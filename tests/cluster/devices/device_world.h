// Devices, claims and classes made up for tests, and what the allocator answers about them as a text.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/api/device.h"
#include "cluster/api/quantity.h"
#include "cluster/devices/allocator.h"
#include "cluster/devices/device_cache.h"
#include "cluster/devices/inventory.h"

namespace winnow::device_world {

inline constexpr const char* kGpu = "gpu.example.com";

inline Quantity amount(std::string_view text) { return Quantity::parse(text).value(); }

inline Device named(std::string name, DeviceAttributes attributes = {}) {
  Device device;
  device.name = std::move(name);
  device.attributes = std::move(attributes);
  return device;
}

/// Devices with these names, without anything.
inline std::vector<Device> devices(std::initializer_list<const char*> names) {
  std::vector<Device> made;
  for (const char* name : names) made.push_back(named(name));
  return made;
}

/// A slice of a pool that has no other one, for the node n1.
inline ResourceSlice local_slice(std::string name, std::vector<Device> devices, std::string pool = "pool") {
  ResourceSlice slice;
  slice.metadata.name = std::move(name);
  slice.driver = kGpu;
  slice.pool = {std::move(pool), 1, 1};
  slice.node_name = "n1";
  slice.devices = std::move(devices);
  return slice;
}

/// The same for all nodes.
inline ResourceSlice common_slice(std::string name, std::vector<Device> devices, std::string pool = "pool") {
  ResourceSlice slice = local_slice(std::move(name), std::move(devices), std::move(pool));
  slice.node_name = "";
  slice.all_nodes = true;
  return slice;
}

/// One of several slices of a pool.
inline ResourceSlice of_pool(ResourceSlice slice, std::int64_t slices, std::int64_t generation = 1) {
  slice.pool.generation = generation;
  slice.pool.resource_slice_count = slices;
  return slice;
}

/// Wants devices of the class "any", which selects all of them.
inline DeviceRequestBody wants(std::int64_t count, std::vector<DeviceSelector> selectors = {}) {
  DeviceRequestBody body;
  body.device_class_name = "any";
  body.allocation_mode = "ExactCount";
  body.count = count;
  body.selectors = std::move(selectors);
  return body;
}

inline DeviceRequestBody wants_all() {
  DeviceRequestBody body = wants(0);
  body.allocation_mode = "All";
  return body;
}

inline ClaimRequest request(std::string name, DeviceRequestBody body) {
  return {std::move(name), std::move(body), {}};
}

/// A request with alternatives by the names a, b, …
inline ClaimRequest one_of(std::string name, std::vector<DeviceRequestBody> alternatives) {
  ClaimRequest made{std::move(name), {}, {}};
  for (DeviceRequestBody& body : alternatives)
    made.first_available.push_back(
        {std::string(1, static_cast<char>('a' + made.first_available.size())), std::move(body)});
  return made;
}

inline ResourceClaim claim(std::string name, std::vector<ClaimRequest> requests,
                           std::vector<DeviceConstraint> constraints = {}) {
  ResourceClaim made;
  made.metadata.namespace_ = "ns";
  made.metadata.uid = name + "-uid";
  made.metadata.name = std::move(name);
  made.spec = {std::move(requests), std::move(constraints)};
  return made;
}

inline DeviceConstraint match(std::string attribute, std::vector<std::string> requests = {}) {
  return {std::move(requests), std::move(attribute), {}};
}
inline DeviceConstraint distinct(std::string attribute, std::vector<std::string> requests = {}) {
  return {std::move(requests), {}, std::move(attribute)};
}

/// A claim that holds devices of the pool "pool", or a share of each of that much memory.
inline ResourceClaim holder(std::string name, std::initializer_list<const char*> devices,
                            std::optional<std::string> memory = {}) {
  ResourceClaim made = claim(std::move(name), {});
  DeviceAllocation& allocation = made.allocation.emplace();
  for (const char* device : devices) {
    AllocatedDevice& held = allocation.devices.emplace_back(
        AllocatedDevice{.request = "r", .driver = kGpu, .pool = "pool", .device = device});
    if (!memory) continue;
    held.share_id = made.metadata.uid;
    held.consumed_capacity = {{"memory", amount(*memory)}};
  }
  return made;
}

/// What the allocator works with. Nodes have the label zone=NAME.
struct World {
  DeviceInventory inventory;
  std::map<std::string, DeviceClass, std::less<>> classes;
  DeviceCache cache;
  DeviceAllocator::Options options;

  World() { add_class("any", {}); }
  explicit World(std::vector<ResourceSlice> slices) : World() {
    for (const ResourceSlice& slice : slices) inventory.set(slice);
  }

  void add_class(std::string name, std::vector<DeviceSelector> selectors) {
    DeviceClass made;
    made.metadata.name = name;
    made.selectors = std::move(selectors);
    classes[name] = std::move(made);
  }
  DeviceAllocator allocator(std::span<const ResourceClaim* const> claims) {
    return DeviceAllocator(
        claims, inventory,
        [this](std::string_view name) {
          const auto found = classes.find(name);
          return found == classes.end() ? nullptr : &found->second;
        },
        cache, options);
  }
  std::expected<std::optional<std::vector<DeviceAllocation>>, AllocationError> allocate(
      const std::vector<ResourceClaim>& claims, std::string_view node = "n1");
  /// "a: gpu=d0 gpu=d1; b: nic=d2", "none", or "fatal: …", "node: …" or "timed out: …". A device of a pool
  /// that is not "pool" is POOL/DEVICE.
  std::string ask(const std::vector<ResourceClaim>& claims, std::string_view node = "n1");
  std::string ask(const ClaimRequest& asked, std::string_view node = "n1") {
    return ask({claim("c", {asked})}, node);
  }
};

}  // namespace winnow::device_world
