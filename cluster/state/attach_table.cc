// The columns of a limit are made when a node first has a value for it or a volume under it. A row knows its
// own limits, so an event of a node looks at no others.
#include "cluster/state/attach_table.h"

#include <algorithm>

#include "cluster/api/node.h"
#include "cluster/state/attachable.h"
#include "cluster/state/csi_migration.h"
#include "cluster/state/dictionaries.h"

namespace winnow {

template <class T, T kMissing>
void AttachTable::set(Symbol limit, RowValues<T, kMissing> Limit::* column, NodeId id, T value) {
  if (value == kMissing) {
    const auto it = limits_.find(limit);
    if (it == limits_.end()) return;
    (it->second.*column).set(id, value, rows_);
    if (it->second.empty()) limits_.erase(it);
    return;
  }
  (limits_[limit].*column).set(id, value, rows_);
}

void AttachTable::add_row() {
  uses_.emplace_back();
  offered_.emplace_back();
  drivers_.emplace_back();
  csi_.push_back(0);
  if (uses_.size() <= rows_) return;
  rows_ = more_rows(rows_);
  for (auto& [name, limit] : limits_) {
    limit.offered.grow(rows_);
    limit.by_driver.grow(rows_);
    limit.attached.grow(rows_);
    limit.installed.grow(rows_);
  }
}

void AttachTable::copy_row(NodeId id, const AttachTable& from, NodeId other) {
  uses_[id] = from.uses_[other];
  offered_[id] = from.offered_[other];
  drivers_[id] = from.drivers_[other];
  csi_[id] = from.csi_[other];
  for (const Symbol limit : offered_[id])
    set(limit, &Limit::offered, id, from.limits_.at(limit).offered[other]);
  for (const Symbol limit : drivers_[id]) {
    set(limit, &Limit::by_driver, id, from.limits_.at(limit).by_driver[other]);
    set(limit, &Limit::installed, id, std::uint8_t{1});
  }
  for (const Use& use : uses_[id]) count(id, use.volume, +1);
}

void AttachTable::offer(NodeId id, std::string_view limit, std::int64_t count) {
  if (count == kNoLimit) return;
  offered_[id].push_back(names_->limits.acquire(limit));
  set(offered_[id].back(), &Limit::offered, id, count);
}

void AttachTable::clear_offers(NodeId id) {
  for (const Symbol limit : offered_[id]) {
    set(limit, &Limit::offered, id, kNoLimit);
    names_->limits.release(limit);
  }
  offered_[id].clear();
}

void AttachTable::clear_drivers(NodeId id) {
  for (const Symbol limit : drivers_[id]) {
    set(limit, &Limit::by_driver, id, kNoLimit);
    set(limit, &Limit::installed, id, std::uint8_t{0});
    names_->limits.release(limit);
  }
  drivers_[id].clear();
}

void AttachTable::set_csi_node(NodeId id, const CsiNode* csi_node) {
  clear_drivers(id);
  csi_[id] = csi_flags(csi_node);
  if (!csi_node) return;
  for (const CsiNodeDriver& driver : csi_node->drivers) {
    const Symbol limit = names_->limits.acquire(csi_limit(driver.name));
    drivers_[id].push_back(limit);
    set(limit, &Limit::installed, id, std::uint8_t{1});
    if (driver.allocatable_count) set(limit, &Limit::by_driver, id, std::int64_t{*driver.allocatable_count});
  }
}

bool AttachTable::has_limit(NodeId id) const {
  return !offered_[id].empty() || std::ranges::any_of(drivers_[id], [&](Symbol name) {
    return limit(name)->by_driver[id] != kNoLimit;
  });
}

void AttachTable::count(NodeId id, std::uint32_t volume, std::int32_t by) {
  const Symbol name = names_->attachables[volume].limit;
  const Limit* const known = limit(name);
  set(name, &Limit::attached, id, (known ? known->attached[id] : 0) + by);
}

void AttachTable::change(NodeId id, std::span<const std::uint32_t> volumes, std::int32_t by) {
  constexpr std::size_t kFew = 16;
  if (volumes.size() > kFew) return change_many(id, {volumes.begin(), volumes.end()}, by);
  for (const std::uint32_t volume : volumes) change(id, volume, &Use::pods, by);
}

/// The same for many volumes: they are merged in at once, since each single one would move all behind it.
void AttachTable::change_many(NodeId id, std::vector<std::uint32_t> volumes, std::int32_t by) {
  std::ranges::sort(volumes);
  std::vector<Use> merged;
  merged.reserve(uses_[id].size() + volumes.size());
  auto use = uses_[id].begin();
  const auto end = uses_[id].end();
  for (auto volume = volumes.begin(); volume != volumes.end();) {
    const auto next = std::upper_bound(volume, volumes.end(), *volume);
    for (; use != end && use->volume < *volume; ++use) merged.push_back(*use);
    const bool is_known = use != end && use->volume == *volume;
    Use one = is_known ? *use++ : Use{*volume, 0, 0};
    one.pods += static_cast<std::uint32_t>(by * static_cast<std::int32_t>(next - volume));
    const bool stays = one.pods != 0 || one.objects != 0;
    if (stays) merged.push_back(one);
    if (stays != is_known) count(id, *volume, stays ? +1 : -1);
    volume = next;
  }
  merged.insert(merged.end(), use, end);
  uses_[id] = std::move(merged);
}

void AttachTable::change_objects(NodeId id, std::uint32_t volume, std::int32_t by) {
  change(id, volume, &Use::objects, by);
}

void AttachTable::change(NodeId id, std::uint32_t volume, std::uint32_t Use::* users, std::int32_t by) {
  std::vector<Use>& uses = uses_[id];
  auto use = std::ranges::lower_bound(uses, volume, {}, &Use::volume);
  if (use == uses.end() || use->volume != volume) {
    use = uses.insert(use, Use{volume, 0, 0});
    count(id, volume, +1);
  }
  (*use).*users += static_cast<std::uint32_t>(by);
  if (use->pods == 0 && use->objects == 0) {
    uses.erase(use);
    count(id, volume, -1);
  }
}

void AttachTable::clear_uses(NodeId id) {
  for (const Use& use : uses_[id]) set(names_->attachables[use.volume].limit, &Limit::attached, id, 0);
  uses_[id].clear();
}

}  // namespace winnow
