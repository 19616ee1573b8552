// The rows of a table that have changed lately, in the order of the changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cluster/state/row_values.h"

namespace winnow {

/// Notes each change of a row. Whoever keeps something about rows asks which have changed since. One writer
/// at a time; const functions may run concurrently.
class RowChanges {
 public:
  /// So many changes can be asked for. A pod that comes or goes is two or three.
  static constexpr std::size_t kKept = std::size_t{1} << 15;

  /// To be called before the first change. Without it none is noted.
  void begin() { begun_ = true; }

  void note(NodeId row) {
    if (!begun_) return;
    if (rows_.empty()) rows_.resize(kKept);
    rows_[count_++ % kKept] = row;
  }

  /// The number of changes so far.
  std::uint64_t count() const { return count_; }

  /// Calls visit(row) for each change after the first `since`; a row may come several times.
  /// @return false: there were too many, and nothing was visited. Every row may have changed.
  template <class Visit>
  bool visit_since(std::uint64_t since, const Visit& visit) const {
    if (!begun_ || since > count_ || count_ - since > kKept) return false;
    for (; since < count_; ++since) visit(rows_[since % kKept]);
    return true;
  }

 private:
  bool begun_ = false;
  std::vector<NodeId> rows_;  ///< The last ones, as a ring.
  std::uint64_t count_ = 0;
};

}  // namespace winnow
