// The order in which requests name the nodes, so that a list of names is read by comparing it with the last
// ones.
//
// kube-scheduler goes round its nodes in an order that seldom changes. A request has all of them, or a part
// that begins anywhere. So NodeOrder keeps the names as the text that they are in a body: a run of names is
// found by one comparison of bytes, and their rows stand beside it. Only names out of that order are looked
// up. A wrong order costs time, and never changes what is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/mutex.h"
#include "cluster/state/row_values.h"

namespace winnow {

class View;

/// Names of nodes, each once, as a request has them: in quotes, with a comma behind each. Immutable.
class NameList {
 public:
  /// @param rows  A row that comes again is left out. So are one that has no node in the view, and one whose
  ///   name has to be escaped.
  NameList(const View& view, std::span<const NodeId> rows);

  /// Whether each name still is the name of its row.
  bool holds(const View& view) const;
  std::size_t size() const { return rows_.size(); }
  /// The rows of the names, by place.
  const std::vector<NodeId>& rows() const { return rows_; }
  /// The place of a row's name; kNone: it is not listed.
  std::uint32_t place_of(NodeId row) const { return row < places_.size() ? places_[row] : kNone; }
  /// The text of a name with its quotes. @param place  below size().
  std::string_view quoted(std::size_t place) const {
    return std::string_view(text_).substr(starts_[place], starts_[place + 1] - starts_[place] - 1);
  }
  /// The same with the comma behind it.
  std::string_view text(std::size_t place) const {
    return std::string_view(text_).substr(starts_[place], starts_[place + 1] - starts_[place]);
  }
  /// All of the text.
  const std::string& text() const { return text_; }
  /// Where the names begin in the text, by place; one more for the end.
  const std::vector<std::uint32_t>& starts() const { return starts_; }

 private:
  std::uint64_t version_;
  std::string text_;
  std::vector<std::uint32_t> starts_;
  std::vector<NodeId> rows_;
  std::vector<std::uint32_t> places_;  ///< By row.
};

/// The list that the last requests have taught. Thread-safe.
class NodeOrder {
 public:
  /// A list that holds in the view; null: there is none.
  /// @param bytes  of the names that are to be read: for few of them no list is brought up to date.
  std::shared_ptr<const NameList> list(const View& view, std::size_t bytes);

  /// How a request's names were found that are not the next ones of the list.
  struct Found {
    std::size_t unlisted = 0;   ///< Known nodes that the list does not have, or that there was no list for.
    std::size_t elsewhere = 0;  ///< At another place of the list than the order says.
  };
  /// Notes how a request was read. After many names out of order a new list is made: the request's names in
  /// its order, and the others of the list before. Where that does not help, it is made less and less often.
  /// @param ids  the request's nodes; kNone: no node of the view.
  void note(const View& view, std::span<const NodeId> ids, Found found);

 private:
  std::shared_ptr<const NameList> latest() const;
  void set(std::shared_ptr<const NameList> list);

  mutable Mutex mutex_;
  std::shared_ptr<const NameList> list_ WINNOW_GUARDED_BY(mutex_);
  Found since_ WINNOW_GUARDED_BY(mutex_);  ///< The list was made.
  /// How many names elsewhere a new list takes, in sizes of the list.
  std::size_t patience_ WINNOW_GUARDED_BY(mutex_) = 1;
};

}  // namespace winnow
