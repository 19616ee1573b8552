// An index of ids by the hashes of their keys, which are kept elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "cluster/state/row_values.h"

namespace winnow {

/// A hash table of ids with open addressing. It keeps the hash of each id's key, so the keys are read only
/// where hashes are equal, and never when the table grows. One writer at a time; find() may run concurrently
/// with itself.
class IdIndex {
 public:
  using Id = std::uint32_t;

  /// @param is_it  bool(Id): whether it is the id that is looked for. Asked where the hashes are equal.
  /// @return the id, or kNone.
  template <class IsIt>
  Id find(std::size_t hash, const IsIt& is_it) const {
    const auto wanted = static_cast<std::uint32_t>(hash);
    for (std::size_t i = wanted & mask();; i = next(i)) {
      if (slots_[i].id == kNone) return kNone;
      if (slots_[i].hash == wanted && is_it(slots_[i].id)) return slots_[i].id;
    }
  }

  /// Adds an id that is not there.
  void insert(std::size_t hash, Id id) {
    if (2 * (size_ + 1) > slots_.size()) resize(2 * slots_.size());
    ++size_;
    place({static_cast<std::uint32_t>(hash), id});
  }

  /// Removes an id that is there.
  void erase(std::size_t hash, Id id) noexcept {
    std::size_t hole = static_cast<std::uint32_t>(hash) & mask();
    while (slots_[hole].id != id) hole = next(hole);
    --size_;
    // What stands behind the hole, and was meant for it or a slot before it, moves up: a look-up ends there.
    for (std::size_t i = next(hole); slots_[i].id != kNone; i = next(i)) {
      const std::size_t home = slots_[i].hash & mask();
      if (((i - home) & mask()) < ((i - hole) & mask())) continue;
      slots_[hole] = slots_[i];
      hole = i;
    }
    slots_[hole] = Slot{};
    if (slots_.size() > kFewest && 8 * size_ < slots_.size()) shrink();
  }

  std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t kFewest = 16;

  struct Slot {
    std::uint32_t hash = 0;
    Id id = kNone;
  };

  std::size_t mask() const { return slots_.size() - 1; }
  std::size_t next(std::size_t i) const { return (i + 1) & mask(); }
  void place(Slot slot) {
    std::size_t i = slot.hash & mask();
    while (slots_[i].id != kNone) i = next(i);
    slots_[i] = slot;
  }
  /// Without the memory for it the table stays as large as it is: what has gone, has gone.
  void shrink() noexcept {
    try {
      resize(slots_.size() / 2);
    } catch (...) {
    }
  }
  void resize(std::size_t slots) {
    const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(slots));
    for (const Slot& slot : old)
      if (slot.id != kNone) place(slot);
  }

  std::vector<Slot> slots_ = std::vector<Slot>(kFewest);  ///< A power of two, at most half full.
  std::size_t size_ = 0;
};

}  // namespace winnow
