// The totals of nodes by place, of which the best are found without a look at each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "extender/reuse/shared_vector.h"

namespace winnow {

/// The nodes' totals, in the order of a request's nodes. Copies share them. NodeTotals that are kept and
/// changed know the highest one of each block of places.
class NodeTotals {
 public:
  using value_type = std::int64_t;

  NodeTotals() = default;
  NodeTotals(std::vector<std::int64_t> values) : values_(std::move(values)) {}

  std::size_t size() const { return values_.size(); }
  bool empty() const { return values_.empty(); }
  const std::int64_t* data() const { return values_.data(); }
  const std::int64_t* begin() const { return values_.begin(); }
  const std::int64_t* end() const { return values_.end(); }
  std::int64_t operator[](std::size_t place) const { return values_[place]; }
  bool operator==(const NodeTotals& other) const { return values_ == other.values_; }

  /// Requires one. @return the highest total.
  std::int64_t highest() const;
  /// All places of the highest total, in order; none if there are no totals.
  std::vector<std::size_t> places_of_highest() const { return find_highest(~std::size_t{0}); }
  /// Requires a total. @return the first of these places.
  std::size_t first_of_highest() const { return find_highest(1).front(); }

  /// From now on the highest of each block is known: to be called before the changes below.
  void keep_highest();
  void set(std::size_t place, std::int64_t total);
  /// The totals from this place on move by one.
  void insert(std::size_t place, std::int64_t total);
  void erase(std::size_t place);

 private:
  static constexpr std::size_t kBlock = 64;

  std::span<const std::int64_t> block(std::size_t number) const;
  void keep_highest_from(std::size_t place);
  std::vector<std::size_t> find_highest(std::size_t most) const;

  SharedVector<std::int64_t> values_;
  SharedVector<std::int64_t> peaks_;  ///< By block: its highest total. Empty: they are not known.
};

}  // namespace winnow
