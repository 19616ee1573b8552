// Sums by topology domain.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cluster/state/view.h"

namespace winnow {

/// A number for each domain of a topology key. The nodes with one value of the label are a domain; a node
/// without the label is in none. Reading a node's costs two array reads. The view outlives it.
template <class Number>
class Domains {
 public:
  Domains(const View& view, std::string_view key)
      : value_(view.label(key)), numbers_(value_.empty() ? 0 : view.names().symbols.capacity()) {}

  bool has(NodeId node) const { return value_[node] != kNone; }
  /// The number of the node's domain; 0 for a node in none.
  Number operator[](NodeId node) const {
    const Symbol value = value_[node];
    return value == kNone ? Number() : numbers_[value];
  }
  /// The number of the node's domain, to be changed; null for a node in none.
  Number* at(NodeId node) {
    const Symbol value = value_[node];
    return value == kNone ? nullptr : &numbers_[value];
  }

 private:
  Column<Symbol> value_;
  std::vector<Number> numbers_;  ///< By value symbol: sparse, but dense enough to be zeroed in microseconds.
};

/// The same for several topology keys, each once, in the order in which they came.
template <class Number>
class DomainsByKey {
 public:
  explicit DomainsByKey(const View& view) : view_(view) {}

  Domains<Number>& operator[](std::string_view key) {
    for (auto& [name, domains] : keys_)
      if (name == key) return domains;
    return keys_.emplace_back(key, Domains<Number>(view_, key)).second;
  }
  bool empty() const { return keys_.empty(); }
  const std::vector<std::pair<std::string, Domains<Number>>>& keys() const { return keys_; }

 private:
  const View& view_;
  std::vector<std::pair<std::string, Domains<Number>>> keys_;
};

}  // namespace winnow
