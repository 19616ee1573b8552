#include "cluster/devices/inventory.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <optional>
#include <utility>

namespace winnow {
namespace {

/// Versions are drawn by the process, so that what is kept about one inventory's device is not taken for
/// another's. There are 30 bits of them.
std::uint32_t next_version() {
  static std::atomic<std::uint32_t> last = 0;
  for (;;)
    if (const std::uint32_t version = (last.fetch_add(1, std::memory_order_relaxed) + 1) & 0x3fffffff;
        version != 0)
      return version;
}

SliceScope scope_of(const ResourceSlice& slice) {
  if (!slice.node_name.empty()) return SliceScope::kNode;
  if (slice.all_nodes) return SliceScope::kAllNodes;
  if (slice.node_selector) return SliceScope::kSelector;
  return slice.per_device_node_selection ? SliceScope::kPerDevice : SliceScope::kUnknown;
}

bool has_groups(const Device& device) {
  return std::ranges::any_of(device.consumes_counters, [](const auto& consumption) {
    return !consumption.compatibility_groups.empty();
  });
}

bool is_plain(const DeviceCapacities& capacities) {
  return std::ranges::all_of(capacities, [](const auto& entry) {
    return !entry.second.request_policy && !(entry.second.value < Quantity());
  });
}

/// The UID of the pod for whose extended resources kube-scheduler has made the claim; "": it has not.
/// Upstream: findExtendedResourceClaim of extendeddynamicresources.go v1.37.2.
std::string served_pod(const ResourceClaim& claim) {
  const StringMap& annotations = claim.metadata.annotations;
  const auto mark = annotations.find("resource.kubernetes.io/extended-resource-claim");
  if (mark == annotations.end() || mark->second != "true") return {};
  const OwnerReference* const owner = controller_of(claim.metadata);
  return owner ? owner->uid : std::string();
}

/// Whether devices are the same, whatever the metadata.
bool is_same(const ResourceSlice& a, const ResourceSlice& b) {
  return a.driver == b.driver && a.pool == b.pool && a.node_name == b.node_name &&
         a.all_nodes == b.all_nodes && a.per_device_node_selection == b.per_device_node_selection &&
         a.node_selector == b.node_selector && a.devices == b.devices &&
         a.shared_counters == b.shared_counters;
}

auto by_name = [](const PublishedSlice* slice) { return std::string_view(slice->object->metadata.name); };

}  // namespace

DeviceInventory::DeviceInventory() = default;
DeviceInventory::~DeviceInventory() = default;

// Pools and names.

DevicePool& DeviceInventory::pool(std::string_view driver, std::string_view name) {
  const std::pair key(driver, name);
  if (const auto found = pools_.find(key); found != pools_.end()) return *found->second;
  return *pools_.emplace(key, std::make_unique<DevicePool>(driver, name)).first->second;
}

const DevicePool* DeviceInventory::find_pool(std::string_view driver, std::string_view name) const {
  const auto found = pools_.find(std::pair(driver, name));
  return found == pools_.end() ? nullptr : found->second.get();
}

void DeviceInventory::drop_if_empty(const DevicePool& pool) {
  if (!pool.slices().empty() || !pool.ids().empty()) return;
  pools_.erase(pools_.find(std::pair<std::string_view, std::string_view>(pool.driver(), pool.name())));
}

DeviceId DeviceInventory::acquire(DevicePool& pool, const std::string& device) {
  if (const auto found = pool.ids().find(device); found != pool.ids().end()) {
    ++names_[found->second].uses;
    return found->second;
  }
  auto id = static_cast<DeviceId>(names_.size());
  if (free_ids_.empty()) {
    names_.emplace_back();
    held_.grow(names_.size());
  } else {
    id = free_ids_.back();
    free_ids_.pop_back();
  }
  names_[id] = {.pool = &pool, .device = device, .uses = 1};
  pool.ids().emplace(device, id);
  return id;
}

void DeviceInventory::release(DevicePool& pool, DeviceId id) {
  Name& name = names_[id];
  if (--name.uses > 0) return;
  pool.ids().erase(name.device);
  name = {};
  free_ids_.push_back(id);
}

std::uint32_t DeviceInventory::acquire_slot() {
  if (free_slots_.empty()) return slots_++;
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  return slot;
}

// Slices.

void DeviceInventory::set(const ResourceSlice& slice) {
  ++version_;
  const std::string& name = slice.metadata.name;
  const auto [kept, is_new] = slices_.try_emplace(name, slice);
  PublishedSlice& published = published_[name];
  if (!is_new) {
    if (is_same(kept->second, slice)) {
      kept->second.metadata = slice.metadata;
      return;
    }
    withdraw(published);
    published = PublishedSlice();
    kept->second = slice;
  }
  publish(kept->second, published);
}

bool DeviceInventory::remove_slice(std::string_view name) {
  const auto found = slices_.find(name);
  if (found == slices_.end()) return false;
  ++version_;
  const auto published = published_.find(name);
  withdraw(published->second);
  published_.erase(published);
  slices_.erase(found);
  return true;
}

void DeviceInventory::publish(const ResourceSlice& object, PublishedSlice& slice) {
  slice.object = &object;
  slice.pool = &pool(object.driver, object.pool.name);
  slice.scope = scope_of(object);
  slice.has_counter_sets = !object.shared_counters.empty();
  read_devices(slice);
  taint(slice);
  slice.pool->add(slice);
  index(slice);
}

void DeviceInventory::read_devices(PublishedSlice& slice) {
  const std::uint32_t version = next_version();
  slice.devices.reserve(slice.object->devices.size());
  for (const Device& device : slice.object->devices) {
    slice.has_groups |= has_groups(device);
    slice.has_binding_conditions |= !device.binding_conditions.empty();
    slice.devices.push_back({.device = &device,
                             .id = acquire(*slice.pool, device.name),
                             .slot = acquire_slot(),
                             .version = version,
                             .shared = device.allow_multiple_allocations.value_or(false) ? 1u : 0u,
                             .plain_capacity = is_plain(device.capacity) ? 1u : 0u});
    Name& name = names_[slice.devices.back().id];
    name.slice = &slice;
    name.place = static_cast<std::uint32_t>(slice.devices.size() - 1);
  }
}

void DeviceInventory::withdraw(PublishedSlice& slice) {
  DevicePool& pool = *slice.pool;
  unindex(slice);
  pool.remove(slice);
  for (const PublishedDevice& device : slice.devices) {
    if (names_[device.id].slice == &slice) names_[device.id].slice = nullptr;
    release(pool, device.id);
    free_slots_.push_back(device.slot);
  }
  drop_if_empty(pool);
}

void DeviceInventory::index(PublishedSlice& slice) {
  const auto less = [](const DevicePool* a, const DevicePool* b) { return *a < *b; };
  if (slice.scope != SliceScope::kNode) {
    const auto at = std::ranges::lower_bound(scattered_, slice.pool, less);
    if (at == scattered_.end() || *at != slice.pool) scattered_.insert(at, slice.pool);
    return;
  }
  std::vector<NodePool>& pools = nodes_[slice.object->node_name];
  auto at = std::ranges::lower_bound(pools, slice.pool, less, &NodePool::pool);
  if (at == pools.end() || at->pool != slice.pool) at = pools.insert(at, {slice.pool, {}});
  at->slices.insert(std::ranges::lower_bound(at->slices, by_name(&slice), {}, by_name), &slice);
}

void DeviceInventory::unindex(PublishedSlice& slice) {
  if (slice.scope != SliceScope::kNode) {
    if (slice.pool->scattered() == 1) std::erase(scattered_, slice.pool);
    return;
  }
  const auto found = nodes_.find(slice.object->node_name);
  std::vector<NodePool>& pools = found->second;
  const auto at = std::ranges::find(pools, slice.pool, &NodePool::pool);
  std::erase(at->slices, &slice);
  if (at->slices.empty()) pools.erase(at);
  if (pools.empty()) nodes_.erase(found);
}

std::span<const NodePool> DeviceInventory::pools_of_node(std::string_view node) const {
  const auto found = nodes_.find(node);
  return found == nodes_.end() ? std::span<const NodePool>() : found->second;
}

// Taints.

void DeviceInventory::taint(PublishedSlice& slice) {
  slice.taint_rules.clear();
  const std::string& driver = slice.object->driver;
  const std::string& pool = slice.object->pool.name;
  const bool has_rules = rules_.may_have(driver, pool);
  for (PublishedDevice& device : slice.devices) {
    bool is_tainted = std::ranges::any_of(device.device->taints, prevents_allocation);
    if (auto rules = has_rules ? rules_.of(driver, pool, device.device->name) : TaintRules::Rules();
        !rules.empty()) {
      is_tainted |= std::ranges::any_of(
          rules, [](const DeviceTaintRule* rule) { return prevents_allocation(rule->taint); });
      slice.taint_rules.emplace(static_cast<std::uint32_t>(slice.index_of(device)), std::move(rules));
    }
    device.tainted = is_tainted ? 1 : 0;
  }
}

void DeviceInventory::taint_selected(const DeviceTaintRule& rule) {
  if (!rule.has_selector) return;
  const auto taint_pool = [&](const DevicePool& pool) {
    if (rule.device && !pool.ids().contains(*rule.device)) return;
    for (PublishedSlice* slice : pool.slices()) taint(*slice);
  };
  auto at = pools_.begin();
  if (rule.driver)
    at = pools_.lower_bound(
        std::pair<std::string_view, std::string_view>(*rule.driver, rule.pool.value_or("")));
  for (; at != pools_.end() && (!rule.driver || at->first.first == *rule.driver); ++at) {
    if (!rule.pool || at->first.second == *rule.pool)
      taint_pool(*at->second);
    else if (rule.driver)
      break;
  }
}

void DeviceInventory::set(const DeviceTaintRule& rule) {
  ++version_;
  std::optional<DeviceTaintRule> old;
  if (const DeviceTaintRule* kept = rules_.find(rule.metadata.name)) {
    old = *kept;
    // Slices refer to it.
    rules_.remove(*kept);
    taint_selected(*old);
  }
  taint_selected(rules_.add(rule));
}

bool DeviceInventory::remove_taint_rule(std::string_view name) {
  const DeviceTaintRule* kept = rules_.find(name);
  if (kept == nullptr) return false;
  ++version_;
  const DeviceTaintRule old = *kept;
  rules_.remove(*kept);
  taint_selected(old);
  return true;
}

std::vector<const DeviceTaint*> DeviceInventory::taints_of(const PublishedSlice& slice,
                                                           const PublishedDevice& device) const {
  std::vector<const DeviceTaint*> taints;
  for (const DeviceTaint& taint : device.device->taints) taints.push_back(&taint);
  const auto rules = slice.taint_rules.find(static_cast<std::uint32_t>(slice.index_of(device)));
  if (rules != slice.taint_rules.end())
    for (const DeviceTaintRule* rule : rules->second) taints.push_back(&rule->taint);
  return taints;
}

bool DeviceInventory::is_offered(const AllocatedDevice& device,
                                 std::span<const DeviceToleration> tolerations) const {
  const DevicePool* const of = find_pool(device.driver, device.pool);
  if (!of) return false;
  const auto id = of->ids().find(device.device);
  if (id == of->ids().end() || !names_[id->second].slice) return false;
  const PublishedSlice& slice = *names_[id->second].slice;
  const PublishedDevice& published = slice.devices[names_[id->second].place];
  if (!published.tainted) return true;
  return std::ranges::none_of(taints_of(slice, published), [&](const DeviceTaint* taint) {
    return prevents_allocation(*taint) && !tolerates(tolerations, *taint);
  });
}

// Claims.

void DeviceInventory::hold(Holding& holding) {
  holding.ids.assign(holding.allocation.devices.size(), kNoDevice);
  for (std::size_t i = 0; i < holding.ids.size(); ++i) {
    const AllocatedDevice& allocated = holding.allocation.devices[i];
    if (allocated.admin_access) continue;
    DevicePool& of = pool(allocated.driver, allocated.pool);
    holding.ids[i] = acquire(of, allocated.device);
    if (held_.hold(holding.ids[i], {&holding, i})) of.count_again();
  }
}

void DeviceInventory::let_go(Holding& holding) {
  for (std::size_t i = 0; i < holding.ids.size(); ++i) {
    const DeviceId id = holding.ids[i];
    if (id == kNoDevice) continue;
    DevicePool& of = *names_[id].pool;
    if (held_.release(id, holding, i)) of.count_again();
    release(of, id);
    drop_if_empty(of);
  }
  holding.ids.clear();
}

void DeviceInventory::set(const ResourceClaim& claim) {
  ++version_;
  const std::string key = key_of(claim.metadata);
  const auto [kept, is_new] = claims_.try_emplace(key);
  const bool is_another = kept->second.metadata.uid != claim.metadata.uid;
  if (!is_new && is_another) end_assumption(kept->second.metadata.uid);
  if (claim.allocation) end_assumption(claim.metadata.uid);
  const bool is_held = !is_another && claim.allocation && kept->second.allocation == claim.allocation;
  of_extended_resources_.erase({served_pod(kept->second), key});
  kept->second = claim;
  if (std::string pod = served_pod(claim); !pod.empty()) {
    if (claim.allocation) end_assumption(extended_resource_claim_uid(pod));
    of_extended_resources_.emplace(std::move(pod), key);
  }
  if (is_held) return;
  if (const auto found = holdings_.find(key); found != holdings_.end()) {
    let_go(found->second);
    holdings_.erase(found);
  }
  if (!claim.allocation) return;
  const ObjectMeta& meta = claim.metadata;
  hold(holdings_[key] = {meta.namespace_, meta.name, meta.uid, false, {}, *claim.allocation, {}});
}

bool DeviceInventory::remove_claim(std::string_view ns, std::string_view name) {
  const std::string key = key_of(ns, name);
  const auto found = claims_.find(key);
  if (found == claims_.end()) return false;
  ++version_;
  end_assumption(found->second.metadata.uid);
  if (const std::string pod = served_pod(found->second); !pod.empty())
    end_assumption(extended_resource_claim_uid(pod));
  if (const auto holding = holdings_.find(key); holding != holdings_.end()) {
    let_go(holding->second);
    holdings_.erase(holding);
  }
  of_extended_resources_.erase({served_pod(found->second), key});
  claims_.erase(found);
  return true;
}

const ResourceClaim* DeviceInventory::find_extended_resource_claim(std::string_view pod_uid) const {
  const auto found = of_extended_resources_.lower_bound({std::string(pod_uid), std::string()});
  if (found == of_extended_resources_.end() || found->first != pod_uid) return nullptr;
  return &claims_.at(found->second);
}

const ResourceClaim* DeviceInventory::find_claim(std::string_view ns, std::string_view name) const {
  const auto found = claims_.find(key_of(ns, name));
  return found == claims_.end() ? nullptr : &found->second;
}

void DeviceInventory::assume(std::string_view ns, const ClaimedDevices& claim, AssumedFor by) {
  const ResourceClaim* const known = find_claim(ns, claim.claim);
  if (known != nullptr && known->metadata.uid == claim.uid && known->allocation) return;
  if (claim.uid == extended_resource_claim_uid(by.pod_uid))
    if (const ResourceClaim* const made = find_extended_resource_claim(by.pod_uid); made && made->allocation)
      return;
  ++version_;
  end_assumption(claim.uid);
  hold(assumed_[claim.uid] = {
           std::string(ns), claim.claim, claim.uid, true, std::move(by), claim.allocation, {}});
}

void DeviceInventory::forget(std::string_view uid) {
  if (assumed_.contains(uid)) ++version_;
  end_assumption(uid);
}

void DeviceInventory::end_assumption(std::string_view uid) {
  const auto found = assumed_.find(uid);
  if (found == assumed_.end()) return;
  let_go(found->second);
  assumed_.erase(found);
}

const Holding* DeviceInventory::assumed(std::string_view uid) const {
  const auto found = assumed_.find(uid);
  return found == assumed_.end() ? nullptr : &found->second;
}

std::vector<const DevicePool*> DeviceInventory::pools() const {
  std::vector<const DevicePool*> all;
  for (const auto& [key, pool] : pools_) all.push_back(pool.get());
  return all;
}

std::span<const DeviceHolder> DeviceInventory::holders(std::string_view driver, std::string_view pool,
                                                       std::string_view device) const {
  const DevicePool* of = find_pool(driver, pool);
  if (of == nullptr) return {};
  const auto found = of->ids().find(device);
  return found == of->ids().end() ? std::span<const DeviceHolder>() : held_.holders(found->second);
}

}  // namespace winnow
