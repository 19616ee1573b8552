// A pool, which interns values under dense 32-bit ids; symbols, which are ids of texts; and sets of labels.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/api/meta.h"
#include "cluster/state/id_index.h"
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
  explicit Pool(const Pool* base = nullptr) : base_(base), offset_(base ? base->capacity() : 0) {}
  /// A copy: the same values under the same ids, on the same base.
  Pool(const Pool& other) = default;
  Pool& operator=(const Pool&) = delete;

  /// @return the id of a value equal to `key`; kNone if there is none.
  template <class K>
  Id find(const K& key) const {
    return find_hashed(Hash{}(key), key);
  }

  /// Adds a reference to the value equal to `key`, and stores it first if there is none. A value of the base
  /// is not counted.
  template <class K>
  Id acquire(const K& key) {
    const std::size_t hash = Hash{}(key);
    Id id = find_hashed(hash, key);
    if (id == kNone) id = store(hash, T(key));
    if (id >= offset_) ++slots_[id - offset_].references;
    return id;
  }

  /// Adds a reference to a value that has one. A value of the base is not counted.
  void hold(Id id) {
    if (id >= offset_) ++slots_[id - offset_].references;
  }

  /// Releases a reference. @return whether it was the last one and the value is gone; false for a value of
  /// the base.
  bool release(Id id) { return take(id).has_value(); }

  /// The same. @return the value if it is gone.
  std::optional<T> take(Id id) {
    if (id < offset_) return std::nullopt;
    Slot& slot = slots_[id - offset_];
    assert(slot.references > 0);
    if (--slot.references > 0) return std::nullopt;
    ids_.erase(Hash{}(slot.value), id);
    std::optional<T> value(std::exchange(slot.value, T()));
    free_.push_back(id);
    std::ranges::push_heap(free_, std::greater());
    shrink();
    return value;
  }

  const T& operator[](Id id) const { return id < offset_ ? (*base_)[id] : slots_[id - offset_].value; }

  /// The number of references to a value that is not of the base.
  std::uint32_t references(Id id) const { return slots_[id - offset_].references; }

  /// One past the largest id, the base's included. Ids below it may be unused: their value is T().
  Id capacity() const { return offset_ + static_cast<Id>(slots_.size()); }
  /// The number of values, without the base's.
  std::size_t size() const { return ids_.size(); }

 private:
  struct Slot {
    T value;
    std::uint32_t references = 0;
  };

  template <class K>
  Id find_hashed(std::size_t hash, const K& key) const {
    if (base_)
      if (const Id id = base_->find_hashed(hash, key); id != kNone) return id;
    return ids_.find(hash, [&](Id id) { return Equal{}(slots_[id - offset_].value, key); });
  }

  Id store(std::size_t hash, T value) {
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
    ids_.insert(hash, id);
    return id;
  }

  /// Drops the free slots at the end, and what the heap had for many more values.
  void shrink() {
    constexpr std::size_t kFew = 64;
    while (!slots_.empty() && slots_.back().references == 0) slots_.pop_back();
    if (free_.size() > std::max(kFew, 2 * slots_.size())) {
      std::erase_if(free_, [this](Id id) { return id >= capacity(); });
      free_.shrink_to_fit();
      std::ranges::make_heap(free_, std::greater());
    }
  }

  const Pool* base_;
  const Id offset_;
  std::deque<Slot> slots_;
  std::vector<Id> free_;  ///< A heap, the lowest first. Some may be behind the last slot.
  IdIndex ids_;
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

/// The set of labels in the symbols that there are, without references.
/// @return false: there is no symbol for a key or a value, and the set is without meaning.
bool find_labels(const Symbols& symbols, const StringMap& labels, LabelSet& set);
/// Interns a set of labels; each symbol in the result holds a reference.
LabelSet acquire_labels(Symbols& symbols, const StringMap& labels);
/// Releases a reference of each symbol.
void release_labels(Symbols& symbols, const LabelSet& labels);

}  // namespace winnow
