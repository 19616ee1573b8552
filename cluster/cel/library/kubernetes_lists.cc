// Kubernetes' functions of lists. Upstream: k8s.io/apiserver v0.37.0 pkg/cel/library/lists.go, version 1.
#include <cstdint>
#include <string>

#include "cluster/cel/comparison.h"
#include "cluster/cel/library/libraries.h"

namespace winnow::cel {
namespace {

bool has_order(const Value& value) {
  return value.is_number() || value.is(Kind::kBool) || value.is(Kind::kString) || value.is(Kind::kBytes) ||
         value.is(Kind::kTimestamp) || value.is(Kind::kDuration);
}

Value is_sorted(Arguments arguments) {
  const List& list = arguments[0].as_list();
  Value previous;
  for (std::size_t i = 0, size = list.size(); i < size; ++i) {
    Value next = list.at(i);
    if (!has_order(next)) return no_such_overload(next);
    if (i > 0) {
      const Value order = compare(previous, next);
      if (order.is(Kind::kInt) && order.as_int() > 0) return Value::boolean(false);
    }
    previous = std::move(next);
  }
  return Value::boolean(true);
}

/// The greatest item where `sign` is -1, the smallest where it is 1.
template <int sign>
Value extreme(Arguments arguments) {
  const List& list = arguments[0].as_list();
  Value result;
  for (std::size_t i = 0, size = list.size(); i < size; ++i) {
    Value next = list.at(i);
    if (!has_order(next)) return no_such_overload(next);
    const Value order = i == 0 ? Value::integer(sign) : compare(result, next);
    if (order.is(Kind::kInt) && order.as_int() == sign) result = std::move(next);
  }
  if (list.size() == 0) return Value::error(std::string(sign < 0 ? "max" : "min") + " called on empty list");
  return result;
}

Value sum_from(Value sum, const List& list) {
  for (std::size_t i = 0, size = list.size(); i < size; ++i) {
    sum = add_values(sum, list.at(i));
    if (sum.is_error()) return sum;
  }
  return sum;
}
Value sum_of_ints(Arguments arguments) { return sum_from(Value::integer(0), arguments[0].as_list()); }
Value sum_of_uints(Arguments arguments) {
  return sum_from(Value::unsigned_integer(0), arguments[0].as_list());
}
Value sum_of_doubles(Arguments arguments) { return sum_from(Value::real(0), arguments[0].as_list()); }
Value sum_of_durations(Arguments arguments) { return sum_from(Value::duration(0), arguments[0].as_list()); }

Value index_of(Arguments arguments) {
  const List& list = arguments[0].as_list();
  Comparison comparison;
  for (std::size_t i = 0, size = list.size(); i < size && !comparison.is_exhausted(); ++i)
    if (comparison.is_equal(list.at(i), arguments[1])) return Value::integer(static_cast<std::int64_t>(i));
  return comparison.result(Value::integer(-1));
}
Value last_index_of(Arguments arguments) {
  const List& list = arguments[0].as_list();
  Comparison comparison;
  for (std::size_t i = list.size(); i > 0 && !comparison.is_exhausted(); --i)
    if (comparison.is_equal(list.at(i - 1), arguments[1]))
      return Value::integer(static_cast<std::int64_t>(i - 1));
  return comparison.result(Value::integer(-1));
}

Value includes(Arguments arguments) {
  Comparison comparison;
  if (!arguments[0].is(Kind::kList)) {
    const bool same = comparison.is_equal(arguments[0], arguments[1]);
    return comparison.result(Value::boolean(same));
  }
  const List& list = arguments[0].as_list();
  for (std::size_t i = 0, size = list.size(); i < size && !comparison.is_exhausted(); ++i)
    if (comparison.is_equal(list.at(i), arguments[1])) return Value::boolean(true);
  return comparison.result(Value::boolean(false));
}

struct Named {
  std::string name;
  Type type;
};

}  // namespace

void add_kubernetes_lists(Environment& environment) {
  const std::vector<Named> ordered = {{"int", Type::integer()},       {"uint", Type::unsigned_integer()},
                                      {"double", Type::real()},       {"bool", Type::boolean()},
                                      {"duration", Type::duration()}, {"timestamp", Type::timestamp()},
                                      {"string", Type::string()},     {"bytes", Type::bytes()}};
  Function sorted{"isSorted", {}};
  Function max{"max", {}};
  Function min{"min", {}};
  for (const auto& [name, type] : ordered) {
    const Type list = Type::list(type);
    sorted.overloads.push_back(
        member("list_" + name + "_is_sorted_bool", {list}, Type::boolean(), is_sorted));
    max.overloads.push_back(member("list_" + name + "_max_" + name, {list}, type, extreme<-1>));
    min.overloads.push_back(member("list_" + name + "_min_" + name, {list}, type, extreme<1>));
  }
  environment.add_function(std::move(sorted));
  environment.add_function(std::move(max));
  environment.add_function(std::move(min));
  const auto sum = [](const Named& named, Implementation call) {
    return member("list_" + named.name + "_sum_" + named.name, {Type::list(named.type)}, named.type, call);
  };
  environment.add_function({"sum",
                            {sum(ordered[0], sum_of_ints), sum(ordered[1], sum_of_uints),
                             sum(ordered[2], sum_of_doubles), sum(ordered[4], sum_of_durations)}});
  const Type a = Type::parameter("A");
  const Type list = Type::list(a);
  environment.add_function(
      {"indexOf", {member("list_a_index_of_int", {list, a}, Type::integer(), index_of)}});
  environment.add_function(
      {"lastIndexOf", {member("list_a_last_index_of_int", {list, a}, Type::integer(), last_index_of)}});
  environment.add_function(
      {"includes", {member("list_includes_dyn_dyn", {Type::dyn(), Type::dyn()}, Type::boolean(), includes)}});
}

}  // namespace winnow::cel
