#include "cluster/cel/library/sorting.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include "cluster/cel/containers.h"

namespace winnow::cel {
namespace {

bool may_be_sorted(const Value& value) {
  switch (value.kind()) {
    case Kind::kBool:
    case Kind::kInt:
    case Kind::kUint:
    case Kind::kDouble:
    case Kind::kString:
    case Kind::kBytes:
    case Kind::kTimestamp:
    case Kind::kDuration:
      return true;
    default:
      return false;
  }
}

bool is_less(const Value& a, const Value& b) {
  const Value order = compare(a, b);
  return order.is(Kind::kInt) && order.as_int() < 0;
}

/// Go sorts up to twelve items by insertion. This one may be given any order, even one with NaN.
void sort_by_insertion(std::vector<std::size_t>& order, const std::vector<Value>& keys) {
  for (std::size_t i = 1; i < order.size(); ++i)
    for (std::size_t j = i; j > 0 && is_less(keys[order[j]], keys[order[j - 1]]); --j)
      std::swap(order[j], order[j - 1]);
}

/// Merges sorted halves. NaN does no harm.
void sort_by_merging(std::vector<std::size_t>& order, std::vector<std::size_t>& spare,
                     const std::vector<Value>& keys, std::size_t from, std::size_t to) {
  if (to - from < 2) return;
  const std::size_t middle = from + (to - from) / 2;
  sort_by_merging(order, spare, keys, from, middle);
  sort_by_merging(order, spare, keys, middle, to);
  std::size_t left = from;
  std::size_t right = middle;
  for (std::size_t i = from; i < to; ++i) {
    const bool takes_right = right < to && (left == middle || is_less(keys[order[right]], keys[order[left]]));
    spare[i] = takes_right ? order[right++] : order[left++];
  }
  std::copy(spare.begin() + static_cast<std::ptrdiff_t>(from),
            spare.begin() + static_cast<std::ptrdiff_t>(to),
            order.begin() + static_cast<std::ptrdiff_t>(from));
}

}  // namespace

Value sort_by_keys(const Value& list, const Value& keys) {
  const std::size_t size = list.as_list().size();
  if (size != keys.as_list().size())
    return Value::error(
        "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got " +
        std::to_string(size) + " and " + std::to_string(keys.as_list().size()) + " elements respectively");
  if (size == 0) return list;
  if (size > kMostItems) return Value::error("a list is too long");
  std::vector<Value> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = keys.as_list().at(i);
  if (!may_be_sorted(values[0])) return Value::error("list elements must be comparable");
  const Kind kind = values[0].kind();
  if (!std::ranges::all_of(values, [&](const Value& value) { return value.is(kind); }))
    return Value::error("list elements must have the same type");
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  constexpr std::size_t kSmall = 12;
  if (size <= kSmall) {
    sort_by_insertion(order, values);
  } else {
    std::vector<std::size_t> spare(size);
    sort_by_merging(order, spare, values, 0, size);
  }
  std::vector<Value> sorted(size);
  for (std::size_t i = 0; i < size; ++i) sorted[i] = list.as_list().at(order[i]);
  return Value::list_of(std::move(sorted));
}

}  // namespace winnow::cel
