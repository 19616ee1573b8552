// One label of the nodes: the value of each node, and the domains that the values form, also for a request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cluster/state/pool.h"
#include "cluster/state/row_values.h"

namespace winnow {

/// The values of one label key that many nodes have, by row. The nodes with one value form a domain, which
/// has a small number. So data by domain fits in an array of domain_capacity() entries. Numbers of domains
/// without nodes are used again. A row without the label has kNone in both arrays.
class CommonLabel {
 public:
  explicit CommonLabel(NodeId rows) { grow(rows); }

  void grow(NodeId rows) {
    values_ = resized(std::move(values_), rows, kNone);
    domains_ = resized(std::move(domains_), rows, kNone);
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
  /// The number of rows with the label.
  std::size_t rows() const { return rows_; }

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

/// The values of one label key: arrays and domains while the key is common, a map while it is rare; see
/// RowValues, where `rows` is explained. Not synchronised; const access may be concurrent.
class LabelColumn {
 public:
  LabelColumn() = default;
  LabelColumn(const LabelColumn& other)
      : rare_(other.rare_),
        common_(other.common_ ? std::make_unique<CommonLabel>(*other.common_) : nullptr) {}
  LabelColumn& operator=(const LabelColumn&) = delete;

  /// Sets the row's value. The row must have none.
  void put(NodeId row, Symbol value, NodeId rows) {
    if (common_) return common_->put(row, value);
    rare_.put(row, value);
    if (!is_common(rare_.size(), rows)) return;
    common_ = std::make_unique<CommonLabel>(rows);
    rare_.for_each([&](NodeId one, Symbol its) { common_->put(one, its); });
    rare_ = {};
  }
  /// Removes the row's value. The row must have one.
  void clear(NodeId row, NodeId rows) {
    if (!common_) return rare_.erase(row);
    common_->clear(row);
    if (is_rare(common_->rows(), rows)) to_rare();
  }
  /// To be called when the table is prepared for more rows.
  void grow(NodeId rows) {
    if (!common_) return;
    if (is_rare(common_->rows(), rows))
      to_rare();
    else
      common_->grow(rows);
  }

  /// Whether no row has the label.
  bool empty() const { return !common_ && rare_.empty(); }
  ValuesByRow<Symbol> values() const {
    if (common_) return {.array = common_->values().data()};
    return {.map = &rare_};
  }
  /// Null: the key is rare.
  const CommonLabel* common() const { return common_.get(); }
  /// Empty while the key is common.
  const IdMap<Symbol>& rare() const { return rare_; }

 private:
  void to_rare() {
    const std::vector<Symbol>& values = common_->values();
    for (NodeId row = 0; row < values.size(); ++row)
      if (values[row] != kNone) rare_.put(row, values[row]);
    common_.reset();
  }

  IdMap<Symbol> rare_;
  std::unique_ptr<CommonLabel> common_;
};

// The domains that the values of one label form, for a request.

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
