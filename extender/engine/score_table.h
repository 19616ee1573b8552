// The scores of a request's nodes, by rule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "cluster/state/row_values.h"
#include "extender/reuse/shared_vector.h"

namespace winnow {

/// Scores without weights, by rule and node. Copies share them. They are a matrix, or they are kept by row of
/// the nodes, for any list of nodes.
class ScoreTable {
 public:
  ScoreTable() = default;
  /// @param matrix  [rule * nodes + node]
  ScoreTable(std::vector<std::int64_t> matrix, std::size_t nodes)
      : matrix_(std::move(matrix)), nodes_(nodes), rules_(nodes == 0 ? 0 : matrix_.size() / nodes) {}
  /// @param by_row  by rule, then by row; without rows: the rule gives 0. @param rows  of the nodes.
  ScoreTable(std::vector<SharedVector<std::int64_t>> by_row, SharedVector<NodeId> rows)
      : by_row_(std::move(by_row)), rows_(std::move(rows)), nodes_(rows_.size()), rules_(by_row_.size()) {}

  std::int64_t operator()(std::size_t rule, std::size_t node) const {
    if (by_row_.empty()) return matrix_[rule * nodes_ + node];
    return by_row_[rule].empty() ? 0 : by_row_[rule][rows_[node]];
  }
  /// A rule's scores, by node.
  std::vector<std::int64_t> of(std::size_t rule) const {
    std::vector<std::int64_t> scores(nodes_);
    for (std::size_t node = 0; node < nodes_; ++node) scores[node] = (*this)(rule, node);
    return scores;
  }
  std::size_t nodes() const { return nodes_; }
  std::size_t rules() const { return rules_; }

  bool operator==(const ScoreTable& other) const {
    if (nodes_ != other.nodes_ || rules_ != other.rules_) return false;
    for (std::size_t rule = 0; rule < rules_; ++rule)
      if (of(rule) != other.of(rule)) return false;
    return true;
  }

 private:
  SharedVector<std::int64_t> matrix_;
  std::vector<SharedVector<std::int64_t>> by_row_;
  SharedVector<NodeId> rows_;
  std::size_t nodes_ = 0, rules_ = 0;
};

}  // namespace winnow
