// An index from node names to rows, for thousands of look-ups in a request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "cluster/state/nodes/node_table.h"

namespace winnow {

/// A hash table of rows with open addressing. The keys are the names in the table's name column. One writer
/// at a time; find() may run concurrently with itself.
class NodeIndex {
 public:
  explicit NodeIndex(const NodeTable& table) : table_(table), slots_(16, Slot{}) {}

  /// @return the row of the node, or kNone.
  NodeId find(std::string_view name) const {
    const std::uint32_t hash = hash_of(name);
    for (std::size_t i = hash & mask();; i = (i + 1) & mask()) {
      if (slots_[i].id == kNone) return kNone;
      if (slots_[i].hash == hash && table_.name[slots_[i].id] == name) return slots_[i].id;
    }
  }

  void insert(NodeId id);             ///< The index must not have the row's name.
  void erase(std::string_view name);  ///< The index must have it, and the row must still have it.
  std::size_t size() const { return size_; }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    NodeId id = kNone;
  };
  static std::uint32_t hash_of(std::string_view name) { return static_cast<std::uint32_t>(TextHash{}(name)); }
  std::size_t mask() const { return slots_.size() - 1; }
  void place(Slot slot);

  const NodeTable& table_;
  std::vector<Slot> slots_;  ///< A power of two, at most half full.
  std::size_t size_ = 0;
};

}  // namespace winnow
