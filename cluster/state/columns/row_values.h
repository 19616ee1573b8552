// A column of a key that perhaps few nodes have.
//
// A node may have thousands of keys that no other node has: labels, resources, attach limits. An array over
// all nodes for each of them would take memory for nodes times keys. So a column is an array only while more
// than one row in eight has a value. Otherwise it is a map of the rows that have one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "cluster/state/columns/id_map.h"

namespace winnow {

/// The index of a node's row. Indexes of removed nodes are used again.
using NodeId = std::uint32_t;

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

}  // namespace winnow
