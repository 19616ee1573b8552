#include "cluster/devices/held_devices.h"

#include <algorithm>

namespace winnow {

void HeldDevices::grow(std::size_t size) {
  if (size <= states_.size()) return;
  states_.resize(size);
  devices_.resize(size);
}

bool HeldDevices::update(DeviceId id) {
  const Entry& entry = devices_[id];
  const bool was_held = states_[id] != 0;
  states_[id] = static_cast<std::uint8_t>((entry.alone > 0 ? kAlone : 0) | (entry.shares > 0 ? kShared : 0));
  return was_held != (states_[id] != 0);
}

bool HeldDevices::hold(DeviceId id, DeviceHolder holder) {
  Entry& entry = devices_[id];
  entry.holders.push_back(holder);
  const AllocatedDevice& allocated = holder.allocated();
  if (allocated.share_id) {
    ++entry.shares;
    for (const auto& [name, amount] : allocated.consumed_capacity) entry.taken[name] += amount;
  } else {
    ++entry.alone;
  }
  return update(id);
}

bool HeldDevices::release(DeviceId id, const Holding& holding, std::size_t index) {
  Entry& entry = devices_[id];
  std::erase_if(entry.holders, [&](const DeviceHolder& holder) {
    return holder.holding == &holding && holder.index == index;
  });
  const AllocatedDevice& allocated = holding.allocation.devices[index];
  if (!allocated.share_id) {
    --entry.alone;
  } else if (--entry.shares == 0) {
    entry.taken.clear();
  } else {
    for (const auto& [name, amount] : allocated.consumed_capacity) entry.taken[name] -= amount;
  }
  return update(id);
}

}  // namespace winnow
