#include "cluster/rule/row_groups.h"

#include <utility>

#include "cluster/text/keyed_hash.h"

namespace winnow {
namespace {

std::size_t hash_of(const RowGroups::Key& key) {
  std::size_t hash = 0;
  for (const std::uint32_t part : key) hash = hash_mix(hash, part);
  return hash;
}

}  // namespace

void RowGroups::begin() {
  is_new_ = !std::exchange(began_, true);
  moves_.clear();
}

std::uint32_t RowGroups::number_of(const Key& key) {
  const std::size_t hash = hash_of(key);
  const std::uint32_t known =
      by_key_.find(hash, [&](std::uint32_t group) { return groups_[group].key == key; });
  if (known != kNone) return known;
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(groups_.size()));
    groups_.emplace_back();
  }
  const std::uint32_t group = free_.back();
  by_key_.insert(hash, group);
  free_.pop_back();
  groups_[group].key = key;
  return group;
}

void RowGroups::leave(std::uint32_t group) {
  if (--groups_[group].rows != 0) return;
  by_key_.erase(hash_of(groups_[group].key), group);
  free_.push_back(group);
}

void RowGroups::set(NodeId row, const Key& key) {
  if (row >= of_row_.size()) of_row_.resize(row + 1, kNone);
  const std::uint32_t before = of_row_[row];
  if (before != kNone && groups_[before].key == key) return;
  const std::uint32_t now = number_of(key);
  ++groups_[now].rows;
  if (before != kNone) leave(before);
  of_row_[row] = now;
  if (!is_new_) moves_.push_back({.row = row, .before = before, .now = now});
}

std::size_t RowGroups::bytes() const {
  constexpr std::size_t kOfEntry = 32;  // Of the index, roughly.
  return of_row_.capacity() * sizeof(std::uint32_t) + groups_.capacity() * (sizeof(Group) + kOfEntry) +
         free_.capacity() * sizeof(std::uint32_t) + moves_.capacity() * sizeof(NodeGroups::Move);
}

}  // namespace winnow
