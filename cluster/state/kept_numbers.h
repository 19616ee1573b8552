// Numbers that rules work out of one node's row, kept until the row changes.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/mutex.h"
#include "cluster/state/row_changes.h"
#include "cluster/state/row_values.h"

namespace winnow {

/// A number by row, with a note that means what its owner wants. Threads may read and write at once. Two that
/// write the same row write the same.
class NumbersByRow {
 public:
  struct Entry {
    double value = 0;
    std::uint32_t note = 0;  ///< 0: nothing is known of the row.
  };

  Entry operator[](NodeId row) const {
    const std::uint32_t note = rows_[row].note.load(std::memory_order_acquire);
    return {rows_[row].value.load(std::memory_order_relaxed), note};
  }
  /// @param entry  its note is not 0.
  void put(NodeId row, Entry entry) {
    rows_[row].value.store(entry.value, std::memory_order_relaxed);
    rows_[row].note.store(entry.note, std::memory_order_release);
  }

 private:
  friend class KeptNumbers;
  struct Row {
    std::atomic<double> value = 0;
    std::atomic<std::uint32_t> note = 0;
  };

  void forget(NodeId row) { rows_[row].note.store(0, std::memory_order_relaxed); }
  void follow(const RowChanges& changes, NodeId rows);

  std::vector<Row> rows_;
  std::uint64_t seen_ = 0;  ///< So many changes are in it.
  std::uint64_t used_ = 0;  ///< When it was last asked for, by the count of questions.
};

/// The numbers of a table's rows, by what they are. Thread-safe for readers of a table that notes its
/// changes: whoever changes the table is alone.
class KeptNumbers {
 public:
  /// So many are kept. One more takes the place of the one that was asked for least recently, unless that is
  /// in use: one of the last kInUse questions was about it.
  static constexpr std::size_t kMost = 64, kInUse = 16 * kMost;

  /// The numbers of this key; null: so many others are in use. The rows that have changed since the last call
  /// are not known any more.
  /// @param key  says what the numbers are, and all that they depend on beside the row.
  /// @param rows  one past the largest row.
  std::shared_ptr<NumbersByRow> find(std::string_view key, const RowChanges& changes, NodeId rows) {
    const MutexLock lock(mutex_);
    auto found = by_key_.find(key);
    if (found == by_key_.end()) {
      if (by_key_.size() >= kMost) {
        const auto oldest =
            std::ranges::min_element(by_key_, {}, [](const auto& one) { return one.second->used_; });
        if (++questions_ <= oldest->second->used_ + kInUse) return nullptr;
        by_key_.erase(oldest);
      }
      found = by_key_.emplace(std::string(key), std::make_shared<NumbersByRow>()).first;
    }
    found->second->used_ = ++questions_;
    found->second->follow(changes, rows);
    return found->second;
  }

 private:
  Mutex mutex_;
  std::map<std::string, std::shared_ptr<NumbersByRow>, std::less<>> by_key_ WINNOW_GUARDED_BY(mutex_);
  std::uint64_t questions_ WINNOW_GUARDED_BY(mutex_) = 0;
};

inline void NumbersByRow::follow(const RowChanges& changes, NodeId rows) {
  if (rows_.size() < rows) {
    rows_ = std::vector<Row>(rows + rows / 4);  // Rows come one at a time.
    seen_ = changes.count();
  }
  // Who reads these rows holds the table as it is: so nobody does when there are changes.
  if (!changes.visit_since(seen_, [&](NodeId row) { forget(row); }))
    for (Row& row : rows_) row.note.store(0, std::memory_order_relaxed);
  seen_ = changes.count();
}

}  // namespace winnow
