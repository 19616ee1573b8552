// Numbers for the counters of a pool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/text/keyed_hash.h"

namespace winnow {

/// Numbers for the names that the slices of a pool use. A name lasts for as long as it is used.
class CounterNames {
 public:
  using Id = std::uint32_t;

  /// The number of a counter set, or with its name of a counter in a set. Counts a use.
  Id acquire(std::string_view set) { return acquire_key(std::string(set)); }
  Id acquire(std::string_view set, std::string_view counter) { return acquire_key(key_of(set, counter)); }
  /// Ends a use.
  void release(Id id) {
    Entry& entry = entries_[id];
    if (--entry.uses > 0) return;
    ids_.erase(entry.key);
    entry.key.clear();
    free_.push_back(id);
  }

  /// Above all numbers.
  std::size_t size() const { return entries_.size(); }
  std::string_view set_of(Id id) const {
    const std::string_view key = entries_[id].key;
    return key.substr(0, key.find('\0'));
  }
  /// "" of a set.
  std::string_view counter_of(Id id) const {
    const std::string_view key = entries_[id].key;
    const std::size_t end = key.find('\0');
    return end == std::string_view::npos ? std::string_view() : key.substr(end + 1);
  }

 private:
  struct Entry {
    std::string key;
    std::uint32_t uses = 0;
  };

  static std::string key_of(std::string_view set, std::string_view counter) {
    return std::string(set).append(1, '\0').append(counter);
  }

  Id acquire_key(std::string key) {
    if (const auto found = ids_.find(key); found != ids_.end()) {
      ++entries_[found->second].uses;
      return found->second;
    }
    Id id = static_cast<Id>(entries_.size());
    if (free_.empty()) {
      entries_.emplace_back();
    } else {
      id = free_.back();
      free_.pop_back();
    }
    entries_[id] = {key, 1};
    ids_.emplace(std::move(key), id);
    return id;
  }

  TextMap<Id> ids_;
  std::vector<Entry> entries_;
  std::vector<Id> free_;
};

}  // namespace winnow
