// A map from 32-bit ids to small values, without a block of memory for each entry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "cluster/state/intern/pool.h"
#include "cluster/text/keyed_hash.h"

namespace winnow {

/// A hash table with open addressing. It takes 1.3 to 6 slots of an id and a value for an entry, and no
/// memory while it is empty. kNone is no key. One writer at a time; const functions may run concurrently.
template <class T>
class IdMap {
 public:
  using Id = std::uint32_t;

  /// @return the value of `id`, or `missing`.
  T find(Id id, T missing) const {
    if (slots_.empty()) return missing;
    for (std::size_t i = home_of(id);; i = next(i)) {
      if (slots_[i].id == id) return slots_[i].value;
      if (slots_[i].id == kNone) return missing;
    }
  }

  /// Adds the entry, or replaces its value.
  void put(Id id, T value) {
    if (4 * (size_ + 1) > 3 * slots_.size()) resize(slots_.empty() ? 2 : 2 * slots_.size());
    std::size_t i = home_of(id);
    while (slots_[i].id != kNone && slots_[i].id != id) i = next(i);
    if (slots_[i].id == kNone) ++size_;
    slots_[i] = {id, value};
  }

  /// Removes the entry, if there is one.
  void erase(Id id) {
    if (slots_.empty()) return;
    std::size_t hole = home_of(id);
    while (slots_[hole].id != id) {
      if (slots_[hole].id == kNone) return;
      hole = next(hole);
    }
    --size_;
    // What stands behind the hole, and was meant for it or a slot before it, moves up: a look-up ends there.
    for (std::size_t i = next(hole); slots_[i].id != kNone; i = next(i)) {
      const std::size_t home = home_of(slots_[i].id);
      if (((i - home) & mask()) < ((i - hole) & mask())) continue;
      slots_[hole] = slots_[i];
      hole = i;
    }
    slots_[hole] = Slot{};
    if (size_ == 0)
      slots_ = std::vector<Slot>();
    else if (8 * size_ < slots_.size())
      resize(slots_.size() / 2);
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  /// Calls visit(id, value) for every entry, in an order that is the same until the map changes.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (const Slot& slot : slots_)
      if (slot.id != kNone) visit(slot.id, slot.value);
  }

 private:
  struct Slot {
    Id id = kNone;
    T value{};
  };

  std::size_t mask() const { return slots_.size() - 1; }
  std::size_t next(std::size_t i) const { return (i + 1) & mask(); }
  std::size_t home_of(Id id) const {
    return hash_detail::fold(id ^ hash_detail::key[0], hash_detail::key[1] | 1) & mask();
  }
  void resize(std::size_t slots) {
    const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(slots));
    for (const Slot& slot : old) {
      if (slot.id == kNone) continue;
      std::size_t i = home_of(slot.id);
      while (slots_[i].id != kNone) i = next(i);
      slots_[i] = slot;
    }
  }

  std::vector<Slot> slots_;  ///< A power of two, at most three quarters full; or none.
  std::size_t size_ = 0;
};

}  // namespace winnow
