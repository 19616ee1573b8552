// The columns of a limit are made when a node first has a value for it or a volume under it. Few limits are
// in use, so a table has few columns.
#include "cluster/state/attach/attach_table.h"

#include "cluster/state/attach/attachable.h"
#include "cluster/state/attach/csi_migration.h"

namespace winnow {

void AttachTable::add_row() {
  uses_.emplace_back();
  csi_.push_back(0);
  for (Limit& limit : limits_) {
    if (limit.attached.empty()) continue;
    limit.offered.push_back(kNoLimit);
    limit.by_driver.push_back(kNoLimit);
    limit.attached.push_back(0);
    limit.installed.push_back(0);
  }
}

AttachTable::Limit& AttachTable::columns(Symbol limit) {
  if (limits_.size() <= limit) limits_.resize(limit + 1);
  Limit& columns = limits_[limit];
  if (columns.attached.empty()) {
    columns.offered.resize(uses_.size(), kNoLimit);
    columns.by_driver.resize(uses_.size(), kNoLimit);
    columns.attached.resize(uses_.size(), 0);
    columns.installed.resize(uses_.size(), 0);
  }
  return columns;
}

void AttachTable::copy_row(NodeId id, const AttachTable& from, NodeId other) {
  uses_[id] = from.uses_[other];
  csi_[id] = from.csi_[other];
  for (Symbol name = 0; name < from.limits_.size(); ++name) {
    const Limit& theirs = from.limits_[name];
    if (theirs.attached.empty()) continue;
    Limit& mine = columns(name);
    mine.offered[id] = theirs.offered[other];
    mine.by_driver[id] = theirs.by_driver[other];
    mine.attached[id] = theirs.attached[other];
    mine.installed[id] = theirs.installed[other];
  }
}

void AttachTable::offer(NodeId id, std::string_view limit, std::int64_t count) {
  columns(limit_id(*names_, limit)).offered[id] = count;
}

void AttachTable::clear_offers(NodeId id) {
  for (Limit& limit : limits_)
    if (!limit.offered.empty()) limit.offered[id] = kNoLimit;
}

void AttachTable::set_csi_node(NodeId id, const CsiNode* csi_node) {
  csi_[id] = csi_flags(csi_node);
  for (Limit& limit : limits_) {
    if (limit.attached.empty()) continue;
    limit.by_driver[id] = kNoLimit;
    limit.installed[id] = 0;
  }
  if (!csi_node) return;
  for (const CsiNodeDriver& driver : csi_node->drivers) {
    Limit& limit = columns(limit_id(*names_, csi_limit(driver.name)));
    limit.installed[id] = 1;
    if (driver.allocatable_count) limit.by_driver[id] = *driver.allocatable_count;
  }
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
  const auto attached = [&](std::uint32_t volume) -> std::int32_t& {
    return columns(names_->attachables[volume].limit).attached[id];
  };
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
    attached(*volume) += (stays ? 1 : 0) - (is_known ? 1 : 0);
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
  std::int32_t& attached = columns(names_->attachables[volume].limit).attached[id];
  if (use == uses.end() || use->volume != volume) {
    use = uses.insert(use, Use{volume, 0, 0});
    ++attached;
  }
  (*use).*users += static_cast<std::uint32_t>(by);
  if (use->pods == 0 && use->objects == 0) {
    uses.erase(use);
    --attached;
  }
}

void AttachTable::clear_uses(NodeId id) {
  uses_[id].clear();
  for (Limit& limit : limits_)
    if (!limit.attached.empty()) limit.attached[id] = 0;
}

}  // namespace winnow
