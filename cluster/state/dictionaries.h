// The dictionaries: pools that intern the values of nodes and pods, each once under a dense 32-bit id.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "cluster/api/node.h"
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

// The pools of the values that many nodes or pods share.

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

using TaintSet = std::vector<Taint>;
struct TaintSetHash {
  std::size_t operator()(const TaintSet& taints) const {
    std::size_t seed = taints.size();
    for (const Taint& taint : taints)
      for (const std::string* part : {&taint.key, &taint.value, &taint.effect})
        seed = hash_mix(seed, TextHash{}(*part));
    return seed;
  }
};

/// Node::prefer_avoid_pods.
using AvoidList = std::vector<AvoidedController>;
struct AvoidListHash {
  std::size_t operator()(const AvoidList& list) const {
    std::size_t seed = list.size();
    for (const AvoidedController& one : list)
      seed = hash_mix(seed, hash_mix(TextHash{}(one.uid), TextHash{}(one.kind)));
    return seed;
  }
};

/// An inline volume that can conflict with one of another pod on the node.
struct Disk {
  VolumeSource source = VolumeSource::kOther;
  std::string id;
  std::string pool;
  std::vector<std::string> monitors;
  bool read_only = false;
  bool operator==(const Disk&) const = default;
};
struct DiskHash {
  std::size_t operator()(const Disk& disk) const {
    std::size_t seed = hash_mix(TextHash{}(disk.id), static_cast<std::size_t>(disk.source));
    seed = hash_mix(seed, hash_mix(TextHash{}(disk.pool), disk.read_only));
    for (const std::string& monitor : disk.monitors) seed = hash_mix(seed, TextHash{}(monitor));
    return seed;
  }
};

/// A volume that counts against an attach limit of a node; see attachable.h.
struct Attachable {
  Symbol limit = kNone;  ///< Of Dictionaries::limits; see acquire_attachable().
  std::string id;        ///< Unique under its limit.
  bool operator==(const Attachable&) const = default;
};
struct AttachableHash {
  std::size_t operator()(const Attachable& volume) const {
    return hash_mix(TextHash{}(volume.id), volume.limit);
  }
};

/// The pools of a state, or those of an overlay with the state's pools as their base.
struct Dictionaries {
  explicit Dictionaries(const Dictionaries* base = nullptr)
      : symbols(base ? &base->symbols : nullptr),
        taints(base ? &base->taints : nullptr),
        avoids(base ? &base->avoids : nullptr),
        zones(base ? &base->zones : nullptr),
        disks(base ? &base->disks : nullptr),
        claims(base ? &base->claims : nullptr),
        limits(base ? &base->limits : nullptr),
        attachables(base ? &base->attachables : nullptr) {}

  Symbols symbols;
  Pool<TaintSet, TaintSetHash> taints;
  Pool<AvoidList, AvoidListHash> avoids;
  Symbols zones;  ///< Zone keys; see NodeColumns::zone and zone_key().
  Pool<Disk, DiskHash> disks;
  Symbols claims;  ///< The keys of claims that pods use; see claim_key().
  Symbols limits;  ///< The names of attach limits.
  Pool<Attachable, AttachableHash> attachables;
};

/// Interns a set of labels; each symbol in the result holds a reference.
LabelSet acquire_labels(Symbols& symbols, const StringMap& labels);
/// Releases a reference of each symbol.
void release_labels(Symbols& symbols, const LabelSet& labels);

}  // namespace winnow
