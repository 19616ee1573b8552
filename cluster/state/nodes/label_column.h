// One label of the nodes: the value of each node, and the domains that the values form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "cluster/state/attach/attach_table.h"
#include "cluster/state/intern/dictionaries.h"

namespace winnow {

/// The values of one label key by row. The nodes with one value form a domain, which has a small number. So
/// data by domain fits in an array of domain_capacity() entries. Numbers of domains without nodes are used
/// again. Not synchronised; const access may be concurrent.
class LabelColumn {
 public:
  /// Grows both arrays to this many rows. A row without the label has kNone in both.
  void grow(std::size_t rows) {
    values_.resize(rows, kNone);
    domains_.resize(rows, kNone);
  }
  /// Sets the row's value. The row must have none.
  void put(NodeId row, Symbol value) {
    const auto [it, is_new] = by_value_.try_emplace(value);
    Domain& domain = it->second;
    if (is_new) domain.id = new_id();
    ++domain.rows;
    values_[row] = value;
    domains_[row] = domain.id;
    ++rows_;
  }
  /// Removes the row's value. The row must have one.
  void clear(NodeId row) {
    const auto it = by_value_.find(values_[row]);
    if (--it->second.rows == 0) {
      free_.push_back(it->second.id);
      by_value_.erase(it);
    }
    values_[row] = domains_[row] = kNone;
    --rows_;
  }

  const std::vector<Symbol>& values() const { return values_; }
  const std::vector<std::uint32_t>& domains() const { return domains_; }
  /// One past the largest domain number.
  std::uint32_t domain_capacity() const { return next_id_; }
  /// The domain of a value; kNone: no row has it.
  std::uint32_t domain_of(Symbol value) const {
    const auto it = by_value_.find(value);
    return it == by_value_.end() ? kNone : it->second.id;
  }
  /// Whether no row has the label.
  bool empty() const { return rows_ == 0; }

 private:
  struct Domain {
    std::uint32_t id = 0;
    std::uint32_t rows = 0;
  };
  std::uint32_t new_id() {
    if (free_.empty()) return next_id_++;
    const std::uint32_t id = free_.back();
    free_.pop_back();
    return id;
  }

  std::vector<Symbol> values_;
  std::vector<std::uint32_t> domains_;
  std::unordered_map<Symbol, Domain> by_value_;
  std::vector<std::uint32_t> free_;
  std::uint32_t next_id_ = 0;
  std::size_t rows_ = 0;
};

}  // namespace winnow
