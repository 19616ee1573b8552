// Lists as sets. Upstream: cel-go v0.29.2 ext/sets.go. And what transformMap adds entries by:
// ext/comprehensions.go.
#include "cluster/cel/containers.h"
#include "cluster/cel/library/libraries.h"

namespace winnow::cel {
namespace {

bool contains_all(const List& list, const List& part, Comparison& comparison) {
  for (std::size_t i = 0, size = part.size(); i < size; ++i)
    if (!contains(list, part.at(i), comparison)) return false;
  return true;
}

Value set_contains(Arguments arguments) {
  Comparison comparison;
  const bool all = contains_all(arguments[0].as_list(), arguments[1].as_list(), comparison);
  return comparison.result(Value::boolean(all));
}
Value set_equivalent(Arguments arguments) {
  const List& a = arguments[0].as_list();
  const List& b = arguments[1].as_list();
  Comparison comparison;
  const bool same = contains_all(a, b, comparison) && contains_all(b, a, comparison);
  return comparison.result(Value::boolean(same));
}
Value set_intersects(Arguments arguments) {
  const List& list = arguments[0].as_list();
  Comparison comparison;
  for (std::size_t i = 0, size = list.size(); i < size && !comparison.is_exhausted(); ++i)
    if (contains(arguments[1].as_list(), list.at(i), comparison)) return Value::boolean(true);
  return comparison.result(Value::boolean(false));
}

Value insert(Arguments arguments) { return with_entry(arguments[0], arguments[1], arguments[2]); }
Value insert_all(Arguments arguments) {
  Value map = arguments[0];
  const Map& more = arguments[1].as_map();
  for (std::size_t i = 0, size = more.size(); i < size; ++i) {
    map = with_entry(map, more.key_at(i), more.value_at(i));
    if (map.is_error()) return map;
  }
  return map;
}

}  // namespace

void add_sets(Environment& environment) {
  const Type list = Type::list(Type::parameter("T"));
  const Type flag = Type::boolean();
  environment.add_function(
      {"sets.contains", {overload("list_sets_contains_list", {list, list}, flag, set_contains)}});
  environment.add_function(
      {"sets.equivalent", {overload("list_sets_equivalent_list", {list, list}, flag, set_equivalent)}});
  environment.add_function(
      {"sets.intersects", {overload("list_sets_intersects_list", {list, list}, flag, set_intersects)}});
}

void add_map_insert(Environment& environment) {
  const Type k = Type::parameter("K");
  const Type v = Type::parameter("V");
  const Type map = Type::map(k, v);
  environment.add_function({"cel.@mapInsert",
                            {overload("@mapInsert_map_key_value", {map, k, v}, map, insert),
                             overload("@mapInsert_map_map", {map, map}, map, insert_all)}});
}

}  // namespace winnow::cel
