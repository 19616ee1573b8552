// Functions of lists. Upstream: cel-go v0.29.2 ext/lists.go, version 3.
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include "cluster/cel/containers.h"
#include "cluster/cel/library/libraries.h"
#include "cluster/cel/library/sorting.h"

namespace winnow::cel {
namespace {

Value too_long() { return Value::error("a list is too long"); }

std::string pair_text(std::int64_t a, std::int64_t b) {
  return "cannot slice(" + std::to_string(a) + ", " + std::to_string(b) + "), ";
}

Value slice(Arguments arguments) {
  const List& list = arguments[0].as_list();
  const std::int64_t start = arguments[1].as_int();
  const std::int64_t end = arguments[2].as_int();
  const std::string text = pair_text(start, end);
  if (start < 0 || end < 0) return Value::error(text + "negative indexes not supported");
  if (start > end) return Value::error(text + "start index must be less than or equal to end index");
  if (list.size() < static_cast<std::uint64_t>(end))
    return Value::error(text + "list is length " + std::to_string(list.size()));
  if (static_cast<std::uint64_t>(end - start) > kMostItems) return too_long();
  std::vector<Value> items;
  for (std::int64_t i = start; i < end; ++i) items.push_back(list.at(static_cast<std::size_t>(i)));
  return Value::list_of(std::move(items));
}

/// How deep lists may be within each other.
constexpr int kDeepestFlattened = 1000;

/// @param steps  counts what was looked at: a list that holds another twice, and so on, is longer than it
/// seems.
/// @return whether there was room.
bool flatten_into(std::vector<Value>& items, const List& list, std::int64_t depth, std::size_t& steps,
                  int nesting = 0) {
  for (std::size_t i = 0, size = list.size(); i < size; ++i) {
    if (++steps > kMostItems || nesting > kDeepestFlattened) return false;
    Value item = list.at(i);
    if (!item.is(Kind::kList) || depth == 0)
      items.push_back(std::move(item));
    else if (!flatten_into(items, item.as_list(), depth - 1, steps, nesting + 1))
      return false;
  }
  return true;
}
Value flatten_by(const Value& list, std::int64_t depth) {
  if (!list.is(Kind::kList)) return no_such_overload(list);
  if (depth < 0) return Value::error("level must be non-negative");
  std::vector<Value> items;
  std::size_t steps = 0;
  return flatten_into(items, list.as_list(), depth, steps) ? Value::list_of(std::move(items)) : too_long();
}
Value flatten(Arguments arguments) { return flatten_by(arguments[0], 1); }
Value flatten_deep(Arguments arguments) {
  if (!arguments[1].is(Kind::kInt)) return no_such_overload();
  return flatten_by(arguments[0], arguments[1].as_int());
}

Value sort(Arguments arguments) { return sort_by_keys(arguments[0], arguments[0]); }
Value sort_by(Arguments arguments) {
  if (!arguments[1].is(Kind::kList)) return no_such_overload();
  return sort_by_keys(arguments[0], arguments[1]);
}

/// The numbers from 0 on. They are made when they are asked for.
class Range : public List {
 public:
  explicit Range(std::size_t size) : size_(size) {}
  std::size_t size() const override { return size_; }
  Value at(std::size_t index) const override { return Value::integer(static_cast<std::int64_t>(index)); }

 private:
  std::size_t size_;
};

Value range(Arguments arguments) {
  const std::int64_t size = arguments[0].as_int();
  if (size < 0) return Value::error("lists.range: size must be non-negative, got " + std::to_string(size));
  constexpr std::int64_t kLargest = 1'000'000;
  if (size > kLargest)
    return Value::error("lists.range: size " + std::to_string(size) + " exceeds maximum allowed (" +
                        std::to_string(kLargest) + ")");
  return Value::list(new Range(static_cast<std::size_t>(size)));
}

Value reverse(Arguments arguments) {
  const List& list = arguments[0].as_list();
  const std::size_t size = list.size();
  if (size > kMostItems) return too_long();
  std::vector<Value> items;
  items.reserve(size);
  for (std::size_t i = size; i > 0; --i) items.push_back(list.at(i - 1));
  return Value::list_of(std::move(items));
}

Value distinct(Arguments arguments) {
  const List& list = arguments[0].as_list();
  if (list.size() > kMostItems) return too_long();
  std::vector<Value> items;
  Comparison comparison;
  const auto equals = [&](const Value& a) {
    return [&comparison, &a](const Value& b) { return comparison.is_equal(a, b); };
  };
  for (std::size_t i = 0, size = list.size(); i < size && !comparison.is_exhausted(); ++i) {
    Value item = list.at(i);
    if (std::ranges::none_of(items, equals(item))) items.push_back(std::move(item));
  }
  return comparison.result(Value::list_of(std::move(items)));
}

bool is_list(const Value& value) { return value.is(Kind::kList); }

/// An overload for each type that has an order.
template <class Make>
std::vector<Overload> for_ordered_types(Make make) {
  std::vector<Overload> overloads;
  for (const Type& type : {Type::integer(), Type::unsigned_integer(), Type::real(), Type::boolean(),
                           Type::duration(), Type::timestamp(), Type::string(), Type::bytes()})
    overloads.push_back(make(type));
  return overloads;
}

}  // namespace

void add_lists(Environment& environment) {
  const Type list = Type::list(Type::parameter("T"));
  const Type any_list = Type::list(Type::dyn());
  const Type i = Type::integer();
  environment.add_function({"slice", {member("list_slice", {list, i, i}, list, slice)}});
  environment.add_function({.name = "flatten",
                            .overloads = {member("list_flatten", {Type::list(list)}, list, flatten),
                                          member("list_flatten_int", {any_list, i}, any_list, flatten_deep)},
                            .guarded = false});
  environment.add_function({"sort", for_ordered_types([](const Type& type) {
                              const Type typed = Type::list(type);
                              return member("list_" + type.name() + "_sort", {typed}, typed);
                            }),
                            sort, is_list});
  environment.add_function({"@sortByAssociatedKeys", for_ordered_types([&](const Type& type) {
                              return member("list_" + type.name() + "_sortByAssociatedKeys",
                                            {list, Type::list(type)}, list);
                            }),
                            sort_by, is_list});
  environment.add_function({"lists.range", {overload("lists_range", {i}, Type::list(i), range)}});
  environment.add_function({"reverse", {member("list_reverse", {list}, list, reverse)}});
  environment.add_function({"distinct", {member("list_distinct", {list}, list, distinct)}});
  environment.add_macros(sorting_macros());
}

}  // namespace winnow::cel
