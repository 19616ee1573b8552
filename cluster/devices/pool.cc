#include "cluster/devices/pool.h"

#include <algorithm>
#include <format>
#include <limits>
#include <unordered_set>

namespace winnow {
namespace {

bool has_generation(const PublishedSlice& slice, std::int64_t generation) {
  return !slice.has_groups && slice.object->pool.generation == generation;
}

/// Upstream: validateDeviceNames. @return the first name that is there twice, or null.
const std::string* find_duplicate(std::span<const PublishedSlice* const> slices) {
  std::size_t count = 0;
  for (const PublishedSlice* slice : slices) count += slice->devices.size();
  std::unordered_set<DeviceId> seen;
  seen.reserve(count);
  for (const PublishedSlice* slice : slices)
    for (const PublishedDevice& device : slice->devices)
      if (!seen.insert(device.id).second) return &device.device->name;
  return nullptr;
}

/// What counter sets there are, with their counters.
class CounterSets {
 public:
  explicit CounterSets(const CounterNames& names) : names_(names), exists_(names.size()) {}

  /// Upstream: getAndValidateCounterSets. @return the error, or "".
  std::string add(const PublishedSlice& slice, PoolCounters& counters) {
    // A slice's uses begin with its sets and their counters, in order.
    auto use = slice.uses.begin();
    for (const CounterSet& set : slice.object->shared_counters) {
      const CounterNames::Id id = (use++)->counter;
      if (exists_[id]) return "duplicate counter set name " + set.name;
      exists_[id] = true;
      for (std::size_t i = 0; i < set.counters.size(); ++i, ++use) {
        exists_[use->counter] = true;
        counters.counters[use->counter] = {true, use->amount, use->amount};
      }
    }
    return "";
  }

  /// Upstream: validateDeviceCounterConsumption. @return the error, or "".
  std::string check(const PublishedSlice& slice) const {
    for (const CounterNames::Id id : slice.used_sets)
      if (!exists_[id]) return explain(slice);
    for (const PublishedDevice& device : slice.devices)
      for (const CounterUse& use : slice.uses_of(device))
        if (!exists_[use.counter]) return explain(slice);
    return "";
  }

 private:
  /// The first error, in order.
  std::string explain(const PublishedSlice& slice) const {
    auto set = slice.used_sets.begin();
    for (const PublishedDevice& device : slice.devices) {
      auto use = slice.uses_of(device).begin();
      for (const DeviceCounterConsumption& consumption : device.device->consumes_counters) {
        if (!exists_[*set++]) return std::format("counter set {} not found", consumption.counter_set);
        for (std::size_t i = 0; i < consumption.counters.size(); ++i, ++use)
          if (!exists_[use->counter])
            return std::format("counter {} not found in counter set {}", names_.counter_of(use->counter),
                               consumption.counter_set);
      }
    }
    return "";
  }

  const CounterNames& names_;
  std::vector<bool> exists_;
};

/// Takes what allocated devices use.
void take_allocated(std::span<const PublishedSlice* const> slices, const HeldDevices& held,
                    PoolCounters& counters) {
  for (const PublishedSlice* slice : slices) {
    if (slice->has_counter_sets) continue;
    for (const PublishedDevice& device : slice->devices) {
      if (!device.uses_counters || !held.is_held(device.id)) continue;
      for (const CounterUse& use : slice->uses_of(device))
        counters.counters[use.counter].available -= use.amount;
    }
  }
}

bool is_overdrawn(const PoolCounters& counters) {
  return std::ranges::any_of(counters.counters, [](const PoolCounters::Counter& counter) {
    return counter.exists && counter.available < Quantity();
  });
}

}  // namespace

/// Adds the counters. @return why the pool is invalid, or "".
std::string DevicePool::find_fault(std::span<const PublishedSlice* const> slices,
                                   std::span<const PublishedSlice* const> others,
                                   PoolContent& content) const {
  if (const std::string* name = find_duplicate(content.slices)) {
    content.names_are_unique = false;
    return "duplicate device name " + *name;
  }
  CounterSets sets(names_);
  for (const auto list : {slices, others})
    for (const PublishedSlice* slice : list)
      if (slice->has_counter_sets)
        if (std::string fault = sets.add(*slice, content.counters); !fault.empty()) return fault;
  for (const auto list : {slices, others})
    for (const PublishedSlice* slice : list)
      if (!slice->has_counter_sets)
        if (std::string fault = sets.check(*slice); !fault.empty()) return fault;
  return "";
}

// Upstream: buildPool.
PoolContent DevicePool::content_of(std::span<const PublishedSlice* const> slices,
                                   std::span<const PublishedSlice* const> others,
                                   const HeldDevices& held) const {
  PoolContent content;
  for (const PublishedSlice* slice : slices)
    if (!slice->has_counter_sets) {
      content.slices.push_back(slice);
      content.has_binding_conditions |= slice->has_binding_conditions;
    }
  content.counters.counters.resize(names_.size());
  content.invalid_reason = find_fault(slices, others, content);
  content.is_valid = content.invalid_reason.empty();
  if (!content.is_valid) return content;
  take_allocated(slices, held, content.counters);
  take_allocated(others, held, content.counters);
  content.counters.overdrawn = is_overdrawn(content.counters);
  return content;
}

WholePool DevicePool::put_together(const HeldDevices& held) const {
  WholePool whole;
  whole.generation = whole.newest = std::numeric_limits<std::int64_t>::min();
  for (const PublishedSlice* slice : slices_) {
    const std::int64_t generation = slice->object->pool.generation;
    whole.newest = std::max(whole.newest, generation);
    if (!slice->has_groups) whole.generation = std::max(whole.generation, generation);
  }
  SliceList members;
  for (const PublishedSlice* slice : slices_)
    if (has_generation(*slice, whole.generation)) members.push_back(slice);
  whole.slices = members.size();
  if (members.empty()) return whole;
  whole.expected_slices = members.front()->object->pool.resource_slice_count;
  whole.content = content_of(members, {}, held);
  return whole;
}

bool DevicePool::is_of_one_node() const {
  if (scattered_ > 0 || slices_.empty()) return false;
  const std::string& node = slices_.front()->object->node_name;
  return std::ranges::all_of(slices_,
                             [&](const PublishedSlice* slice) { return slice->object->node_name == node; });
}

void DevicePool::work_out(const HeldDevices& held) const {
  const MutexLock lock(mutex_);
  if (is_current_.load(std::memory_order_relaxed)) return;
  if (!slices_are_current_) {
    whole_ = put_together(held);
    slices_are_current_ = true;
  } else {
    PoolCounters& counters = whole_.content.counters;
    for (PoolCounters::Counter& counter : counters.counters) counter.available = counter.total;
    if (whole_.content.is_valid) take_allocated(whole_.content.slices, held, counters);
    counters.overdrawn = is_overdrawn(counters);
  }
  of_one_node_ = is_of_one_node();
  is_current_.store(true, std::memory_order_release);
}

void DevicePool::acquire_names(PublishedSlice& slice) {
  for (const CounterSet& set : slice.object->shared_counters) {
    slice.uses.push_back({names_.acquire(set.name), Quantity()});
    for (const auto& [name, amount] : set.counters)
      slice.uses.push_back({names_.acquire(set.name, name), amount});
  }
  for (PublishedDevice& device : slice.devices) {
    device.first_use = static_cast<std::uint32_t>(slice.uses.size());
    device.uses_counters = device.device->consumes_counters.empty() ? 0 : 1;
    for (const DeviceCounterConsumption& consumption : device.device->consumes_counters) {
      slice.used_sets.push_back(names_.acquire(consumption.counter_set));
      for (const auto& [name, amount] : consumption.counters)
        slice.uses.push_back({names_.acquire(consumption.counter_set, name), amount});
    }
    device.uses = (static_cast<std::uint32_t>(slice.uses.size()) - device.first_use) & 0xfffffff;
  }
}

void DevicePool::release_names(PublishedSlice& slice) {
  for (const CounterUse& use : slice.uses) names_.release(use.counter);
  for (const CounterNames::Id set : slice.used_sets) names_.release(set);
  slice.uses.clear();
  slice.used_sets.clear();
}

void DevicePool::add(PublishedSlice& slice) {
  const auto at = std::ranges::lower_bound(
      slices_, slice.object->metadata.name, {},
      [](const PublishedSlice* one) { return std::string_view(one->object->metadata.name); });
  slices_.insert(at, &slice);
  if (slice.scope != SliceScope::kNode) ++scattered_;
  acquire_names(slice);
  if (!slice.used_sets.empty()) ++uses_counters_;
  slices_are_current_ = false;
  is_current_.store(false, std::memory_order_relaxed);
}

void DevicePool::remove(PublishedSlice& slice) {
  std::erase(slices_, &slice);
  if (slice.scope != SliceScope::kNode) --scattered_;
  if (!slice.used_sets.empty()) --uses_counters_;
  release_names(slice);
  slices_are_current_ = false;
  is_current_.store(false, std::memory_order_relaxed);
}

}  // namespace winnow
