// The domains that the values of one label form, for a request.
#pragma once

#include <cstdint>
#include <vector>

#include "cluster/state/columns/label_column.h"

namespace winnow {

/// The domain of each node by one label, as a number below capacity(). Nodes with the same value have the
/// same domain. For one pair of columns the numbers are the same each time.
class DomainIds {
 public:
  /// @param base, extra  the label in the state and in the overlay. They must outlive this. Null: no node has
  ///   it there.
  /// @param split  the id of the overlay's first row.
  /// @param empty  the symbol of the empty text, or kNone.
  DomainIds(const LabelColumn* base, const LabelColumn* extra, NodeId split, Symbol empty);

  /// The node's domain; kNone without the label.
  std::uint32_t operator[](NodeId id) const {
    if (id < in_base_) return base_[id];
    if (id >= split_ && !extra_.empty()) return extra_[id - split_];
    return rare_.find(id, kNone);
  }
  std::uint32_t capacity() const { return capacity_; }
  /// The domain of the nodes whose label value is empty; kNone without such nodes.
  std::uint32_t of_empty_value() const { return of_empty_; }

 private:
  const std::uint32_t* base_;
  NodeId in_base_;  ///< `split_`; 0 if the state has no array.
  NodeId split_;
  std::vector<std::uint32_t> extra_;  ///< Of the overlay's rows, if it has an array.
  IdMap<std::uint32_t> rare_;         ///< By NodeId, of the rows of a table without an array.
  std::uint32_t capacity_, of_empty_;
};

}  // namespace winnow
