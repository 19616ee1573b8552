// Lists and maps that expressions make.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cluster/cel/comparison.h"
#include "cluster/cel/value.h"

namespace winnow::cel {

/// The most items of a list, so that a list that is added to itself again and again ends.
inline constexpr std::size_t kMostItems = std::size_t{1} << 22;

/// The longest text that a function makes of texts, so that a text that is doubled again and again ends.
inline constexpr std::size_t kLongestResult = std::size_t{1} << 24;

/// Two lists as one. Nothing is copied. A list that grows is added to in place.
Value concatenate(const Value& first, const Value& second);
/// Whether an item of the list is equal to the value.
bool contains(const List& list, const Value& value, Comparison& comparison);

/// A list that grows while a loop makes it. Then it is constant.
class GrowingList : public List {
 public:
  std::size_t size() const override { return items_.size(); }
  Value at(std::size_t index) const override { return items_[index]; }
  void add(Value item) { items_.push_back(std::move(item)); }
  bool is_growing() const { return growing_; }
  /// From now on it is constant.
  void finish() { growing_ = false; }

 private:
  std::vector<Value> items_;
  bool growing_ = true;
};

/// A map of literals and of loops. Keys keep the order in which they came.
class EntryMap : public Map {
 public:
  /// @param growing  whether a loop adds to it in place.
  explicit EntryMap(bool growing = false) : growing_(growing) {}
  bool is_growing() const { return growing_; }
  void finish() { growing_ = false; }
  std::size_t size() const override { return entries_.size(); }
  std::optional<Value> find(const Value& key) const override;
  Value key_at(std::size_t index) const override { return entries_[index].first; }
  Value value_at(std::size_t index) const override { return entries_[index].second; }

  /// Sets the value of the key. Keys of different types are different keys here, as in a Go map.
  /// @return an error if the key may not be one.
  Value set(const Value& key, Value value);
  /// Takes the key away, if it is there. @return an error if the key may not be one.
  Value erase(const Value& key);

 private:
  const Value* find_exactly(const Value& key) const;
  std::size_t index_of(const Value& key) const;
  void build_index();

  std::vector<std::pair<Value, Value>> entries_;
  /// Of a large map: each key as a text, and its place.
  std::unordered_map<std::string, std::size_t> index_;
  bool growing_;
};

/// Makes what a loop made constant.
void finish_growing(const Value& value);

/// The map with an entry more; an error if it has the key. A map that grows is added to in place.
Value with_entry(const Value& map, const Value& key, Value value);

}  // namespace winnow::cel
