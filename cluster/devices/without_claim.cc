#include "cluster/devices/without_claim.h"

#include <algorithm>
#include <set>
#include <vector>

namespace winnow {
namespace {

/// The pools in which the node may find devices.
std::vector<const DevicePool*> pools_around(const DeviceInventory& inventory, std::string_view node) {
  if (node.empty()) return inventory.pools();
  std::vector<const DevicePool*> pools;
  for (const NodePool& local : inventory.pools_of_node(node)) pools.push_back(local.pool);
  for (const DevicePool* const pool : inventory.scattered_pools())
    if (!std::ranges::contains(pools, pool)) pools.push_back(pool);
  return pools;
}

/// Calls visit(holding) for each device of the pools that is held. @return false: visit has returned false.
template <class Visit>
bool for_each_holding(const DeviceInventory& inventory, std::span<const DevicePool* const> pools,
                      const Visit& visit) {
  for (const DevicePool* const pool : pools)
    for (const PublishedSlice* const slice : pool->slices())
      for (const PublishedDevice& device : slice->devices)
        for (const DeviceHolder& holder : inventory.held().holders(device.id))
          if (!visit(*holder.holding)) return false;
  return true;
}

void copy_claim(const DeviceInventory& from, std::string_view key, DeviceInventory& to) {
  if (const auto claim = from.claims().find(key); claim != from.claims().end()) to.set(claim->second);
}

}  // namespace

bool copy_without_claim(const DeviceInventory& from, std::string_view node, std::string_view without,
                        std::span<const std::string> asked, std::size_t most, DeviceInventory& to) {
  const std::vector<const DevicePool*> pools = pools_around(from, node);
  std::size_t devices = 0;
  for (const DevicePool* const pool : pools)
    for (const PublishedSlice* const slice : pool->slices()) devices += slice->devices.size();
  if (devices > most) return false;
  for (const DevicePool* const pool : pools)
    for (const PublishedSlice* const slice : pool->slices()) to.set(*slice->object);
  for (const auto& [name, rule] : from.taint_rules()) to.set(rule);
  std::set<const Holding*> copied;
  for_each_holding(from, pools, [&](const Holding& holding) {
    const std::string key = holding.namespace_ + '/' + holding.name;
    if (key == without || !copied.insert(&holding).second) return true;
    if (holding.assumed)
      to.assume(holding.namespace_, {holding.name, holding.uid, holding.allocation}, holding.assumed_for);
    else
      copy_claim(from, key, to);
    return true;
  });
  for (const std::string& key : asked) copy_claim(from, key, to);
  return true;
}

bool is_of_one_node(const DeviceInventory& inventory, std::string_view claim) {
  const auto found = inventory.claims().find(claim);
  if (found == inventory.claims().end() || !found->second.allocation) return false;
  return std::ranges::all_of(found->second.allocation->devices, [&](const AllocatedDevice& device) {
    const DevicePool* const pool = inventory.find_pool(device.driver, device.pool);
    return pool != nullptr && pool->whole_of_one_node(inventory.held()) != nullptr;
  });
}

std::vector<std::string> claims_around(const DeviceInventory& inventory, std::string_view node,
                                       std::size_t most) {
  std::vector<std::string> claims;
  for_each_holding(inventory, pools_around(inventory, node), [&](const Holding& holding) {
    std::string key = holding.namespace_ + '/' + holding.name;
    if (!holding.assumed && !std::ranges::contains(claims, key)) claims.push_back(std::move(key));
    return claims.size() < most;
  });
  return claims;
}

}  // namespace winnow
