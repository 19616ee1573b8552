// Ids, and containers of rows: a map of small values by id, a column that may be rare, a bag, counts by node.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cluster/text/keyed_hash.h"

namespace winnow {

// The ids of what a state keeps. Ids of what is removed are used again.

/// The id of nothing.
inline constexpr std::uint32_t kNone = 0xffffffff;

using NodeId = std::uint32_t;      ///< The index of a node's row.
using PodId = std::uint32_t;       ///< An index of State::pod().
using GroupId = std::uint32_t;     ///< Of PodGroups.
using TermId = std::uint32_t;      ///< Of PodTerms.
using TermListId = std::uint32_t;  ///< The same.

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

// A column of a key that perhaps few nodes have.
//
// A node may have thousands of keys that no other node has: labels, resources, attach limits. An array over
// all nodes for each of them would take memory for nodes times keys. So a column is an array only while more
// than one row in eight has a value. Otherwise it is a map of the rows that have one.

/// Whether so many rows with a value, of all rows, make a column an array. For a few rows, as most overlays
/// have them, a map is as good and is made sooner.
constexpr bool is_common(std::size_t holders, std::size_t rows) { return holders > 3 && 8 * holders > rows; }
/// Whether so few make an array a map again. Between the two a column stays what it is, so that a node that
/// comes and goes does not turn it each time.
constexpr bool is_rare(std::size_t holders, std::size_t rows) { return 12 * holders <= rows; }

/// The number of rows that a table prepares its arrays for, when it needs more than `rows`. An array that
/// grows with each row would have the table look at all its keys for each node.
constexpr NodeId more_rows(NodeId rows) { return rows + rows / 8 + 1; }

/// The array with so many rows, and room for no more: the table prepares it for more soon enough.
template <class T>
std::vector<T> resized(std::vector<T> array, NodeId rows, T missing) {
  array.reserve(rows);
  array.resize(rows, missing);
  return array;
}

/// The values of one key by row, to be read: an array, or a map, or neither if no row has the key.
template <class T>
struct ValuesByRow {
  const T* array = nullptr;
  const IdMap<T>* map = nullptr;
};

/// The values of one key by row. A row has a value if it is not kMissing. Every `rows` is the number of rows
/// that the table is prepared for; it grows only. Not synchronised; const access may be concurrent.
template <class T, T kMissing = T()>
class RowValues {
 public:
  T operator[](NodeId row) const { return array_.empty() ? map_.find(row, kMissing) : array_[row]; }

  void set(NodeId row, T value, NodeId rows) {
    if (array_.empty()) {
      if (value == kMissing) return map_.erase(row);
      map_.put(row, value);
      if (is_common(map_.size(), rows)) to_array(rows);
      return;
    }
    holders_ += (value == kMissing ? 0u : 1u) - (array_[row] == kMissing ? 0u : 1u);
    array_[row] = value;
    if (is_rare(holders_, rows)) to_map();
  }
  /// To be called when the table is prepared for more rows.
  void grow(NodeId rows) {
    if (array_.empty()) return;
    if (is_rare(holders_, rows))
      to_map();
    else
      array_ = resized(std::move(array_), rows, kMissing);
  }

  /// Whether no row has a value. The column takes no memory then.
  bool empty() const { return array_.empty() && map_.empty(); }
  ValuesByRow<T> values() const {
    if (!array_.empty()) return {.array = array_.data()};
    return {.map = map_.empty() ? nullptr : &map_};
  }

 private:
  void to_array(NodeId rows) {
    array_.resize(rows, kMissing);
    map_.for_each([&](NodeId row, T value) { array_[row] = value; });
    holders_ = map_.size();
    map_ = {};
  }
  void to_map() {
    IdMap<T> map;
    for (NodeId row = 0; row < array_.size(); ++row)
      if (array_[row] != kMissing) map.put(row, array_[row]);
    map_ = std::move(map);
    array_ = std::vector<T>();
  }

  std::vector<T> array_;  ///< Empty: the values are in the map.
  IdMap<T> map_;
  std::size_t holders_ = 0;  ///< The rows with a value in the array.
};

// A bag: things without order, any one of which can be taken out.

/// A vector of things, each in it once. A few are searched for the one to remove. Above kFew, an index has
/// the place of each. So to remove a thing costs the same however many there are, and a small bag has no
/// index. One writer at a time; things() may be read concurrently.
template <class Thing, class Hash = std::hash<Thing>>
class Bag {
 public:
  static constexpr std::size_t kFew = 32;

  /// Adds a thing that is not in the bag.
  void add(const Thing& thing) {
    things_.push_back(thing);
    if (places_)
      places_->emplace(thing, things_.size() - 1);
    else if (things_.size() > kFew)
      index();
  }

  /// Removes the thing, if it is in the bag. Others change their places.
  void remove(const Thing& thing) {
    const std::size_t at = places_ ? look_up(thing) : search(thing);
    if (at == things_.size()) return;
    if (places_) {
      places_->find(things_.back())->second = at;
      places_->erase(thing);
    }
    things_[at] = things_.back();
    things_.pop_back();
    if (things_.empty()) places_ = nullptr;
  }

  std::span<const Thing> things() const { return things_; }
  std::size_t size() const { return things_.size(); }
  bool empty() const { return things_.empty(); }

 private:
  using Places = std::unordered_map<Thing, std::size_t, Hash>;

  void index() {
    places_ = std::make_unique<Places>();
    for (std::size_t i = 0; i < things_.size(); ++i) places_->emplace(things_[i], i);
  }
  std::size_t search(const Thing& thing) const {
    std::size_t at = 0;
    while (at < things_.size() && !(things_[at] == thing)) ++at;
    return at;
  }
  std::size_t look_up(const Thing& thing) const {
    const auto found = places_->find(thing);
    return found == places_->end() ? things_.size() : found->second;
  }

  std::vector<Thing> things_;
  std::unique_ptr<Places> places_;  ///< Null until there are more than kFew things.
};

// The number of pods of some set, by node.

struct PodsOnNode {
  NodeId node = kNone;
  std::int32_t pods = 0;
  bool operator==(const PodsOnNode&) const = default;
};

/// A number of pods by node, in order of NodeId, without the nodes that have none. A sparse list suits: the
/// pods of one workload are on few nodes.
class CountsByNode {
 public:
  /// Adds `by` to the node's number. The number must not become negative.
  void change(NodeId node, std::int32_t by) {
    if (entries_.empty() || entries_.back().node < node) return entries_.push_back({node, by});
    const auto it = std::ranges::lower_bound(entries_, node, {}, &PodsOnNode::node);
    if (it->node != node)
      entries_.insert(it, {node, by});
    else if ((it->pods += by) == 0)
      entries_.erase(it);
  }
  /// Adds the counts to out[node]; every node here must be below out.size().
  void add_to(std::span<std::int32_t> out) const {
    for (const PodsOnNode& entry : entries_) out[entry.node] += entry.pods;
  }
  void add(const CountsByNode& other) {
    for (const PodsOnNode& entry : other.entries_) change(entry.node, entry.pods);
  }
  std::span<const PodsOnNode> entries() const { return entries_; }
  bool empty() const { return entries_.empty(); }
  bool operator==(const CountsByNode&) const = default;

 private:
  std::vector<PodsOnNode> entries_;
};

/// Looks up numbers of pods by node. It must not outlive them.
class PodsLookup {
 public:
  /// @param pods  in order of NodeId. @param looks  how many there will be: many pay for an array.
  PodsLookup(std::span<const PodsOnNode> pods, NodeId capacity, std::size_t looks) : pods_(pods) {
    if (looks * 8 < capacity) return;
    by_node_.assign(capacity, 0);
    for (const PodsOnNode& one : pods) by_node_[one.node] = one.pods;
  }
  std::int32_t operator[](NodeId node) const {
    if (!by_node_.empty()) return by_node_[node];
    const auto it = std::ranges::lower_bound(pods_, node, {}, &PodsOnNode::node);
    return it != pods_.end() && it->node == node ? it->pods : 0;
  }

 private:
  std::span<const PodsOnNode> pods_;
  std::vector<std::int32_t> by_node_;
};

}  // namespace winnow
