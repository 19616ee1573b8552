// The devices of the cluster: slices, taints by rule, claims, and which devices the claims hold.
//
// cluster/devices is dynamic resource allocation as kube-scheduler's DynamicResources plugin computes it. It
// knows no pods and no nodes but by name: cluster/rule/pod_devices.h asks it for a pod.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/api/device.h"
#include "cluster/api/meta.h"
#include "cluster/devices/held_devices.h"
#include "cluster/devices/pool.h"
#include "cluster/devices/published.h"
#include "cluster/devices/taints.h"
#include "cluster/text/keyed_hash.h"

namespace winnow {

/// A pool's slices that name a node, in order of name.
struct NodePool {
  const DevicePool* pool = nullptr;
  SliceList slices;
};

/// Not synchronised: one writer or several readers at a time. An event costs what its object has.
class DeviceInventory {
 public:
  DeviceInventory();
  ~DeviceInventory();
  DeviceInventory(const DeviceInventory&) = delete;
  DeviceInventory& operator=(const DeviceInventory&) = delete;

  // Events. set() adds or replaces by name, or namespace and name. remove_*() returns whether it was there.
  void set(const ResourceSlice& slice);
  bool remove_slice(std::string_view name);
  void set(const DeviceTaintRule& rule);
  bool remove_taint_rule(std::string_view name);
  void set(const ResourceClaim& claim);
  bool remove_claim(std::string_view ns, std::string_view name);

  /// Counts the devices of an allocation that the API does not show yet as held by the claim with this UID.
  /// Ends when the claim is set with an allocation, is removed, or is forgotten. Does nothing if the API
  /// shows an allocation already. Another call with the UID replaces the allocation.
  /// A claim for extended resources is known by extended_resource_claim_uid(): it also ends when the API
  /// shows an allocation of the claim that kube-scheduler has made for that pod.
  void assume(std::string_view ns, const ClaimedDevices& claim, AssumedFor by = {});
  void forget(std::string_view uid);

  // The objects as they were set, by name, or "NAMESPACE/NAME".
  const Store<ResourceSlice>& slices() const { return slices_; }
  const Store<DeviceTaintRule>& taint_rules() const { return rules_.rules(); }
  const Store<ResourceClaim>& claims() const { return claims_; }

  /// Null: there is none.
  const ResourceClaim* find_claim(std::string_view ns, std::string_view name) const;
  /// The claim that kube-scheduler has made for the extended resources of the pod with this UID; null: none.
  const ResourceClaim* find_extended_resource_claim(std::string_view pod_uid) const;
  /// What assume() holds for the claim, or null.
  const Holding* assumed(std::string_view uid) const;
  /// Grows with each change.
  std::uint64_t version() const { return version_; }

  // Devices.

  /// The claims that hold a device; of a device that is not shared it is one at most, unless something went
  /// wrong.
  std::span<const DeviceHolder> holders(std::string_view driver, std::string_view pool,
                                        std::string_view device) const;
  /// Whether a slice publishes the device, without a taint that keeps it from the request.
  bool is_offered(const AllocatedDevice& device, std::span<const DeviceToleration> tolerations) const;
  /// The taints of a device of a slice: its own, then those of the rules. Upstream: applyPatches of
  /// tracker.go.
  std::vector<const DeviceTaint*> taints_of(const PublishedSlice& slice, const PublishedDevice& device) const;

  // What the allocator reads.

  /// The pools that have slices for the node by its name, in upstream's order of pools.
  std::span<const NodePool> pools_of_node(std::string_view node) const;
  /// The pools that have slices for no single node, in that order.
  std::span<const DevicePool* const> scattered_pools() const { return scattered_; }
  const HeldDevices& held() const { return held_; }
  /// All, in that order.
  std::vector<const DevicePool*> pools() const;
  /// Null if there is none.
  const DevicePool* find_pool(std::string_view driver, std::string_view name) const;

 private:
  using PoolKey = std::pair<std::string, std::string>;
  struct PoolLess {
    using is_transparent = void;
    bool operator()(const auto& a, const auto& b) const {
      return std::pair<std::string_view, std::string_view>(a) <
             std::pair<std::string_view, std::string_view>(b);
    }
  };

  DevicePool& pool(std::string_view driver, std::string_view name);
  void drop_if_empty(const DevicePool& pool);
  DeviceId acquire(DevicePool& pool, const std::string& device);
  void release(DevicePool& pool, DeviceId id);

  void publish(const ResourceSlice& object, PublishedSlice& slice);
  void withdraw(PublishedSlice& slice);
  void read_devices(PublishedSlice& slice);
  void index(PublishedSlice& slice);
  void unindex(PublishedSlice& slice);
  std::uint32_t acquire_slot();

  void taint(PublishedSlice& slice);
  /// Works out the rules of all devices that the rule selects.
  void taint_selected(const DeviceTaintRule& rule);

  void hold(Holding& holding);
  void let_go(Holding& holding);
  void end_assumption(std::string_view uid);

  std::map<PoolKey, std::unique_ptr<DevicePool>, PoolLess> pools_;
  std::vector<const DevicePool*> scattered_;
  TextMap<std::vector<NodePool>> nodes_;
  Store<ResourceSlice> slices_;
  TextMap<PublishedSlice> published_;  ///< By name.
  std::vector<std::uint32_t> free_slots_;
  std::uint32_t slots_ = 0;

  struct Name {
    DevicePool* pool = nullptr;
    std::string device;
    std::uint32_t uses = 0;
    const PublishedSlice* slice = nullptr;  ///< The last one that has published the device; null: none does.
    std::uint32_t place = 0;                ///< Of the device in the slice.
  };
  std::vector<Name> names_;  ///< By device id.
  std::vector<DeviceId> free_ids_;
  HeldDevices held_;

  TaintRules rules_;
  Store<ResourceClaim> claims_;
  std::set<std::pair<std::string, std::string>> of_extended_resources_;  ///< The pod's UID, and key_of().
  TextMap<Holding> holdings_;  ///< Of claims with an allocation, by key_of().
  TextMap<Holding> assumed_;   ///< By UID.
  std::uint64_t version_ = 0;
};

}  // namespace winnow
