// Allocates devices to claims, node by node.
// Upstream: k8s.io/dynamic-resource-allocation v0.37.2 structured/internal/incubating, which
// kube-scheduler 1.37 uses with its default feature gates.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <vector>

#include "cluster/api/device.h"
#include "cluster/devices/device_cache.h"
#include "cluster/devices/explanation.h"
#include "cluster/devices/inventory.h"
#include "cluster/devices/node_pools.h"
#include "cluster/devices/plan.h"
#include "cluster/devices/search.h"

namespace winnow {

/// Whether a node has devices for all claims.
struct DeviceFit {
  bool fits = false;
  /// What the plugin's Score adds up for these claims: 8 minus its index for each alternative that was taken.
  std::int64_t alternatives_score = 0;
};

/// Allocates the same claims on any node. The devices are those that upstream chooses.
class DeviceAllocator {
 public:
  using Time = DeviceSearch::Time;

  struct Options {
    Time deadline = Time::max();
    /// For each node; 0: none. Upstream: filterTimeout of DynamicResourcesArgs.
    std::chrono::nanoseconds node_timeout{0};
  };

  /// @param claims  to allocate, in this order, without regard to allocations that they have. They, the
  ///   inventory and the cache outlive the allocator. The inventory does not change meanwhile.
  /// @param find_class  is asked by the constructor alone.
  DeviceAllocator(std::span<const ResourceClaim* const> claims, const DeviceInventory& inventory,
                  FindDeviceClass find_class, DeviceCache& cache, Options options);
  DeviceAllocator(std::span<const ResourceClaim* const> claims, const DeviceInventory& inventory,
                  FindDeviceClass find_class, DeviceCache& cache)
      : DeviceAllocator(claims, inventory, find_class, cache, Options()) {}

  /// Whether allocate() gives allocations. Several threads may ask at once. It takes no memory once a thread
  /// has seen such nodes and selectors.
  std::expected<DeviceFit, AllocationError> fits(const DeviceNode& node) const;
  /// An allocation for each claim, in their order, without a time; or nothing if the node lacks devices.
  /// Several threads may ask at once. Share ids are made of the claim's UID, the request and the device.
  std::expected<std::optional<std::vector<DeviceAllocation>>, AllocationError> allocate(
      const DeviceNode& node) const;

  /// Why the node has or lacks devices for the claims. Several threads may ask at once. It costs a search,
  /// which the options limit, and time for each device and request.
  DeviceExplanation explain(const DeviceNode& node) const;

 private:
  std::expected<bool, AllocationError> run(DeviceSearch& search, const DeviceNode& node) const;
  static DeviceSearch& search();

  std::vector<PlannedClaim> claims_;
  const DeviceInventory& inventory_;
  Options options_;
};

}  // namespace winnow
