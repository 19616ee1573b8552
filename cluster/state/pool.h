// A pool, which interns values under dense 32-bit ids; symbols, which are ids of texts; and sets of labels.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "cluster/api/meta.h"
#include "cluster/state/row_values.h"
#include "cluster/text/keyed_hash.h"

namespace winnow {

/// A set of values of type T. Each has an id as long as a reference to it is held. Ids of released values are
/// used again, the lowest first. So capacity() and memory go down again after a crowd of values has gone.
///
/// A pool may have another one as its `base`. It then finds the base's values under the base's ids, and never
/// changes the base. Its own values get ids from the base's capacity upwards. So ids of both can be mixed
/// while the base does not change. An overlay uses this for values that the state lacks.
///
/// Not thread-safe for writers; const functions may run concurrently. References to a value stay valid until
/// its last id reference is released.
template <class T, class Hash, class Equal = std::equal_to<>>
class Pool {
 public:
  using Id = std::uint32_t;

  /// @param base  must outlive this, and must not change while this has values.
  explicit Pool(const Pool* base = nullptr)
      : base_(base), offset_(base ? base->capacity() : 0), ids_(16, SlotHash{this}, SlotEqual{this}) {}
  /// A copy: the same values under the same ids, on the same base.
  Pool(const Pool& other)
      : base_(other.base_),
        offset_(other.offset_),
        slots_(other.slots_),
        free_(other.free_),
        ids_(other.ids_.begin(), other.ids_.end(), 16, SlotHash{this}, SlotEqual{this}) {}
  Pool& operator=(const Pool&) = delete;

  /// @return the id of a value equal to `key`; kNone if there is none.
  template <class K>
  Id find(const K& key) const {
    if (base_)
      if (const Id id = base_->find(key); id != kNone) return id;
    const auto it = ids_.find(key);
    return it == ids_.end() ? kNone : *it;
  }

  /// Adds a reference to the value equal to `key`, and stores it first if there is none. A value of the base
  /// is not counted.
  template <class K>
  Id acquire(const K& key) {
    Id id = find(key);
    if (id == kNone) id = store(T(key));
    if (id >= offset_) ++slots_[id - offset_].references;
    return id;
  }

  /// Adds a reference to a value that has one. A value of the base is not counted.
  void hold(Id id) {
    if (id >= offset_) ++slots_[id - offset_].references;
  }

  /// Releases a reference. @return whether it was the last one and the value is gone; false for a value of
  /// the base.
  bool release(Id id) {
    if (id < offset_) return false;
    Slot& slot = slots_[id - offset_];
    assert(slot.references > 0);
    if (--slot.references > 0) return false;
    ids_.erase(id);
    slot.value = T();
    free_.push_back(id);
    std::ranges::push_heap(free_, std::greater());
    shrink();
    return true;
  }

  const T& operator[](Id id) const { return id < offset_ ? (*base_)[id] : slots_[id - offset_].value; }

  /// One past the largest id, the base's included. Ids below it may be unused: their value is T().
  Id capacity() const { return offset_ + static_cast<Id>(slots_.size()); }
  /// The number of values, without the base's.
  std::size_t size() const { return ids_.size(); }

 private:
  struct Slot {
    T value;
    std::uint32_t references = 0;
  };
  struct SlotHash {
    using is_transparent = void;
    const Pool* pool;
    std::size_t operator()(Id id) const { return Hash{}((*pool)[id]); }
    template <class K>
    std::size_t operator()(const K& key) const {
      return Hash{}(key);
    }
  };
  struct SlotEqual {
    using is_transparent = void;
    const Pool* pool;
    bool operator()(Id a, Id b) const { return a == b; }
    template <class K>
    bool operator()(Id id, const K& key) const {
      return Equal{}((*pool)[id], key);
    }
    template <class K>
    bool operator()(const K& key, Id id) const {
      return Equal{}((*pool)[id], key);
    }
  };

  Id store(T value) {
    Id id = capacity();
    if (!free_.empty()) {
      std::ranges::pop_heap(free_, std::greater());
      id = std::min(id, free_.back());
      free_.pop_back();
    }
    if (id == capacity()) {
      free_.clear();  // Those that are left are behind the last slot, too.
      slots_.push_back({std::move(value)});
    } else {
      slots_[id - offset_].value = std::move(value);
    }
    ids_.insert(id);
    return id;
  }

  /// Drops the free slots at the end, and what the tables had for many more values.
  void shrink() {
    constexpr std::size_t kFew = 64;
    while (!slots_.empty() && slots_.back().references == 0) slots_.pop_back();
    if (free_.size() > std::max(kFew, 2 * slots_.size())) {
      std::erase_if(free_, [this](Id id) { return id >= capacity(); });
      free_.shrink_to_fit();
      std::ranges::make_heap(free_, std::greater());
    }
    if (ids_.bucket_count() > std::max(kFew, 8 * ids_.size())) ids_.rehash(2 * ids_.size());
  }

  const Pool* base_;
  const Id offset_;
  std::deque<Slot> slots_;
  std::vector<Id> free_;  ///< A heap, the lowest first. Some may be behind the last slot.
  std::unordered_set<Id, SlotHash, SlotEqual> ids_;
};

using Symbol = std::uint32_t;

/// A pool of label keys and values, namespaces, resources, addresses and image names.
using Symbols = Pool<std::string, TextHash>;

/// A label set: key and value symbols, sorted by key symbol.
using LabelSet = std::vector<std::pair<Symbol, Symbol>>;

/// The value symbol of a key; kNone if the set lacks the key.
inline Symbol label_value(const LabelSet& labels, Symbol key) {
  const auto it = std::ranges::lower_bound(labels, key, {}, &std::pair<Symbol, Symbol>::first);
  return it != labels.end() && it->first == key ? it->second : kNone;
}

/// A host port with its default values filled in: address 0.0.0.0 for "", protocol TCP for "".
struct HostPort {
  Symbol address = kNone;
  Symbol protocol = kNone;
  std::int32_t port = 0;

  auto operator<=>(const HostPort&) const = default;
};

/// Interns a set of labels; each symbol in the result holds a reference.
LabelSet acquire_labels(Symbols& symbols, const StringMap& labels);
/// Releases a reference of each symbol.
void release_labels(Symbols& symbols, const LabelSet& labels);

}  // namespace winnow
