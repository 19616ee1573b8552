#include "extender/service/protocol/node_order.h"

#include <algorithm>
#include <new>
#include <utility>

#include "cluster/memory_budget.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"

namespace winnow {
namespace {

/// The most that the making of lists waits for, in sizes of the list.
constexpr std::size_t kMostPatience = 64;
/// A list is brought up to date for a request with this part of its text, or more.
constexpr std::size_t kWorthwhile = 16;
/// One name elsewhere in so many is no disorder, and for so small a part that is unlisted no list is made.
constexpr std::size_t kFew = 16;

/// Whether a JSON string has the name as it is. The whole name is looked at: that takes less than to stop.
bool needs_no_escape(std::string_view name) {
  bool needs = name.empty();
  for (const char c : name) needs |= c == '"' || c == '\\' || static_cast<unsigned char>(c) < ' ';
  return !needs;
}

/// The nodes of a request in its order, and the others of a list: each behind the one that it follows there,
/// and what is left at the end. They may come twice.
std::vector<NodeId> joined(std::span<const NodeId> ids, const NameList& list) {
  const std::vector<NodeId>& rows = list.rows();
  std::vector<std::uint8_t> in_request(rows.size(), 0);
  for (const NodeId id : ids)
    if (const std::uint32_t place = list.place_of(id); place != kNone) in_request[place] = 1;
  std::vector<NodeId> order;
  order.reserve(ids.size() + 2 * rows.size());
  for (const NodeId id : ids) {
    order.push_back(id);
    std::uint32_t place = list.place_of(id);
    if (place == kNone) continue;
    while (++place < rows.size() && !in_request[place]) order.push_back(rows[place]);
  }
  order.insert(order.end(), rows.begin(), rows.end());
  return order;
}

/// A list that outlives the request.
std::shared_ptr<const NameList> made(const View& view, std::span<const NodeId> rows) {
  const MemoryScope kept(nullptr);
  return std::make_shared<const NameList>(view, rows);
}

}  // namespace

NameList::NameList(const View& view, std::span<const NodeId> rows)
    : version_(view.state().names_version()), places_(view.capacity(), kNone) {
  rows_.reserve(rows.size());
  starts_.reserve(rows.size() + 1);
  starts_.push_back(0);
  for (const NodeId row : rows) {
    if (row >= places_.size() || places_[row] != kNone || !needs_no_escape(view.node_name(row))) continue;
    places_[row] = static_cast<std::uint32_t>(rows_.size());
    rows_.push_back(row);
    text_.append(1, '"').append(view.node_name(row)).append("\",");
    starts_.push_back(static_cast<std::uint32_t>(text_.size()));
  }
}

bool NameList::holds(const View& view) const {
  return version_ == view.state().names_version() && !view.has_overlay();
}

std::shared_ptr<const NameList> NodeOrder::latest() const {
  const MutexLock lock(mutex_);
  return list_;
}

void NodeOrder::set(std::shared_ptr<const NameList> list) {
  const MutexLock lock(mutex_);
  list_.swap(list);
}

std::shared_ptr<const NameList> NodeOrder::list(const View& view, std::size_t bytes) {
  std::shared_ptr<const NameList> known = latest();
  if (!known || known->holds(view)) return known;
  if (view.has_overlay() || bytes < known->text().size() / kWorthwhile) return nullptr;
  try {
    set(known = made(view, known->rows()));
  } catch (const std::bad_alloc&) {  // A request is read without a list as well.
    return nullptr;
  }
  return known;
}

void NodeOrder::note(const View& view, std::span<const NodeId> ids, Found found) {
  if (found.unlisted + found.elsewhere == 0 || view.has_overlay()) return;
  std::shared_ptr<const NameList> before;
  {
    const MutexLock lock(mutex_);
    const std::size_t size = list_ ? list_->size() : 0;
    if (found.elsewhere * kFew < ids.size()) patience_ = 1;
    since_.unlisted += found.unlisted;
    since_.elsewhere += found.elsewhere;
    const bool disorder = since_.elsewhere > patience_ * size;
    if (!disorder && since_.unlisted <= size / kFew) return;
    if (disorder) patience_ = std::min(2 * patience_, kMostPatience);
    since_ = {};
    before = list_;
  }
  const MemoryScope kept(nullptr);  // It outlives the request.
  try {
    set(made(view, before ? joined(ids, *before) : std::vector(ids.begin(), ids.end())));
  } catch (const std::bad_alloc&) {  // The request has been read; it does without a better list.
  }
}

}  // namespace winnow
