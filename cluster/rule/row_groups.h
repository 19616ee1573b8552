// Rows in groups of equal keys, kept up to date row by row: for a rule whose raw scores go by few things.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cluster/rule/rule.h"
#include "cluster/state/id_index.h"
#include "cluster/state/row_values.h"
#include "cluster/state/view.h"

namespace winnow {

/// Groups have numbers of their own, which hold as long as a group has a row. Used by one thread at a time.
class RowGroups {
 public:
  static constexpr std::size_t kParts = 4;
  /// What the rows of one group have in common.
  using Key = std::array<std::uint32_t, kParts>;

  /// Brings these rows up to date, which are all that have changed. The first time all rows of the view are
  /// set. It begins anew where most numbers are free.
  /// @param key_of  Key(NodeId): what the row's group has in common now.
  template <class KeyOf>
  void follow(const View& view, std::span<const NodeId> rows, const KeyOf& key_of) {
    if (groups_.size() > kMostFree + 2 * by_key_.size()) *this = {};
    begin();
    if (!is_new_) return set(rows, key_of);
    set(view.all_nodes(), key_of);
  }
  /// The two parts of it: begin() comes before the changes of a request.
  void begin();
  void set(NodeId row, const Key& key);
  const Key& key(std::uint32_t group) const { return groups_[group].key; }
  /// They refer to what is kept here.
  NodeGroups groups() const {
    return {.of_row = of_row_, .count = groups_.size(), .moves = is_new_ ? nullptr : &moves_};
  }
  /// A rough figure.
  std::size_t bytes() const;

 private:
  static constexpr std::size_t kMostFree = 64;

  template <class KeyOf>
  void set(std::span<const NodeId> rows, const KeyOf& key_of) {
    for (const NodeId row : rows) set(row, key_of(row));
  }

  struct Group {
    Key key{};
    std::uint32_t rows = 0;  ///< 0: the number is free.
  };
  std::uint32_t number_of(const Key& key);
  void leave(std::uint32_t group);

  std::vector<std::uint32_t> of_row_;
  std::vector<Group> groups_;
  IdIndex by_key_;
  std::vector<std::uint32_t> free_;
  std::vector<NodeGroups::Move> moves_;
  bool began_ = false, is_new_ = true;
};

}  // namespace winnow
