// A driver's pool of devices: its slices, what is wrong with them, and its counters.
// Upstream: k8s.io/dynamic-resource-allocation v0.37.2 structured/internal/incubating/pools_incubating.go.
#pragma once

#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/api/quantity.h"
#include "cluster/devices/counter_names.h"
#include "cluster/devices/held_devices.h"
#include "cluster/devices/published.h"
#include "cluster/mutex.h"
#include "cluster/text/keyed_hash.h"

namespace winnow {

using SliceList = std::vector<const PublishedSlice*>;

/// The counters of a pool by their number: how much is there, and how much of it allocated devices leave.
struct PoolCounters {
  struct Counter {
    bool exists = false;
    Quantity total;
    Quantity available;  ///< May be below zero.
  };
  std::vector<Counter> counters;
  /// Whether one is below zero. Then no device that uses counters can be allocated.
  bool overdrawn = false;
};

/// What slices of one generation make together.
struct PoolContent {
  /// Those with devices, in order of name.
  SliceList slices;
  bool is_valid = true;
  bool names_are_unique = true;
  bool has_binding_conditions = false;
  PoolCounters counters;
  /// Why the pool is invalid, in upstream's words.
  std::string invalid_reason;
};

/// The slices of all nodes.
struct WholePool {
  /// How many slices have the generation and are not ignored. Those without devices count, too.
  std::size_t slices = 0;
  /// What the first of these expects.
  std::int64_t expected_slices = 0;
  /// Of these.
  PoolContent content;
  /// The largest generation of the slices that are not ignored, and of all.
  std::int64_t generation = 0;
  std::int64_t newest = 0;
};

class DevicePool {
 public:
  DevicePool(std::string_view driver, std::string_view name) : driver_(driver), name_(name) {}

  const std::string& driver() const { return driver_; }
  const std::string& name() const { return name_; }
  /// Upstream's order of pools.
  std::strong_ordering operator<=>(const DevicePool& other) const {
    if (const auto order = driver_ <=> other.driver_; order != 0) return order;
    return name_ <=> other.name_;
  }
  bool operator==(const DevicePool& other) const { return this == &other; }
  std::string text() const { return driver_ + "/" + name_; }

  /// All slices, in order of name.
  const std::vector<PublishedSlice*>& slices() const { return slices_; }
  /// Those of any generation that are for no single node.
  std::size_t scattered() const { return scattered_; }
  const CounterNames& counter_names() const { return names_; }

  /// What all slices make together. The first to ask after a change works it out. Thread-safe.
  const WholePool& whole(const HeldDevices& held) const {
    if (!is_current_.load(std::memory_order_acquire)) work_out(held);
    return whole_;
  }
  /// The same, if all slices are one node's; else null.
  const WholePool* whole_of_one_node(const HeldDevices& held) const {
    if (!is_current_.load(std::memory_order_acquire)) work_out(held);
    return of_one_node_ ? &whole_ : nullptr;
  }
  /// The same for some slices of one generation. @param others  slices of that generation that are for other
  /// nodes; their counter sets count, too.
  PoolContent content_of(std::span<const PublishedSlice* const> slices,
                         std::span<const PublishedSlice* const> others, const HeldDevices& held) const;

  // For the inventory.

  void add(PublishedSlice& slice);
  void remove(PublishedSlice& slice);
  /// A device of the pool was allocated, or is free again.
  void count_again() {
    if (uses_counters_ > 0)
      is_current_.store(false, std::memory_order_relaxed);  // What slices make still holds.
  }
  TextMap<DeviceId>& ids() { return ids_; }
  const TextMap<DeviceId>& ids() const { return ids_; }

 private:
  void work_out(const HeldDevices& held) const;
  bool is_of_one_node() const;
  WholePool put_together(const HeldDevices& held) const;
  std::string find_fault(std::span<const PublishedSlice* const> slices,
                         std::span<const PublishedSlice* const> others, PoolContent& content) const;
  void acquire_names(PublishedSlice& slice);
  void release_names(PublishedSlice& slice);

  // What each search reads comes first. These are written with mutex_ held while is_current_ is false.
  mutable std::atomic<bool> is_current_ = false;
  mutable bool slices_are_current_ = false;  ///< Only what is allocated has changed.
  mutable bool of_one_node_ = false;
  mutable WholePool whole_;
  mutable Mutex mutex_;

  std::string driver_;
  std::string name_;
  std::vector<PublishedSlice*> slices_;
  std::size_t scattered_ = 0;
  std::size_t uses_counters_ = 0;  ///< Slices whose devices use counters.
  CounterNames names_;
  TextMap<DeviceId> ids_;  ///< Of the names of devices.
};

}  // namespace winnow
