// Arithmetic, comparisons, logic, `in` and indexes. Upstream: cel-go v0.29.2 common/stdlib/standard.go,
// common/types/overflow.go, and the operations of each type.
#include "cluster/cel/operators.h"

#include <cmath>
#include <limits>

#include "cluster/cel/containers.h"
#include "cluster/cel/library/libraries.h"
#include "cluster/cel/times.h"

namespace winnow::cel {
namespace {

Value int_overflow() { return Value::error("integer overflow"); }
Value uint_overflow() { return Value::error("unsigned integer overflow"); }

bool is_number(const Value& value) { return value.is_number(); }
bool is_integer(const Value& value) { return value.is(Kind::kInt) || value.is(Kind::kUint); }
bool can_add(const Value& value) {
  return is_number(value) || value.is(Kind::kString) || value.is(Kind::kBytes) || value.is(Kind::kList) ||
         value.is(Kind::kTimestamp) || value.is(Kind::kDuration);
}
bool can_subtract(const Value& value) {
  return is_number(value) || value.is(Kind::kTimestamp) || value.is(Kind::kDuration);
}
bool can_negate(const Value& value) {
  return value.is(Kind::kInt) || value.is(Kind::kDouble) || value.is(Kind::kDuration) ||
         value.is(Kind::kBool);
}
bool is_ordered(const Value& value) {
  return is_number(value) || value.is(Kind::kBool) || value.is(Kind::kString) || value.is(Kind::kBytes) ||
         value.is(Kind::kTimestamp) || value.is(Kind::kDuration);
}

Value add_ints(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? int_overflow() : Value::integer(sum);
}
Value subtract_ints(std::int64_t a, std::int64_t b) {
  std::int64_t difference = 0;
  return __builtin_sub_overflow(a, b, &difference) ? int_overflow() : Value::integer(difference);
}

Value add_texts(const Value& a, const Value& b) {
  if (a.text().size() + b.text().size() > kLongestResult) return Value::error("a text is too long");
  std::string text;
  text.reserve(a.text().size() + b.text().size());
  text.append(a.text()).append(b.text());
  return a.is(Kind::kString) ? Value::string(std::move(text)) : Value::bytes(std::move(text));
}

Value add(Arguments arguments) {
  const Value& a = arguments[0];
  const Value& b = arguments[1];
  if (a.is(Kind::kTimestamp) || a.is(Kind::kDuration)) return add_times(a, b);
  if (a.kind() != b.kind()) return no_such_overload(b);
  switch (a.kind()) {
    case Kind::kInt:
      return add_ints(a.as_int(), b.as_int());
    case Kind::kUint: {
      std::uint64_t sum = 0;
      return __builtin_add_overflow(a.as_uint(), b.as_uint(), &sum) ? uint_overflow()
                                                                    : Value::unsigned_integer(sum);
    }
    case Kind::kDouble:
      return Value::real(a.as_double() + b.as_double());
    case Kind::kString:
    case Kind::kBytes:
      return add_texts(a, b);
    default:
      return concatenate(a, b);
  }
}

Value subtract(Arguments arguments) {
  const Value& a = arguments[0];
  const Value& b = arguments[1];
  if (a.is(Kind::kTimestamp) || a.is(Kind::kDuration)) return subtract_times(a, b);
  if (a.kind() != b.kind()) return no_such_overload(b);
  if (a.is(Kind::kInt)) return subtract_ints(a.as_int(), b.as_int());
  if (a.is(Kind::kDouble)) return Value::real(a.as_double() - b.as_double());
  std::uint64_t difference = 0;
  return __builtin_sub_overflow(a.as_uint(), b.as_uint(), &difference) ? uint_overflow()
                                                                       : Value::unsigned_integer(difference);
}

Value multiply(Arguments arguments) {
  const Value& a = arguments[0];
  const Value& b = arguments[1];
  if (a.kind() != b.kind()) return no_such_overload(b);
  if (a.is(Kind::kDouble)) return Value::real(a.as_double() * b.as_double());
  if (a.is(Kind::kInt)) {
    std::int64_t product = 0;
    return __builtin_mul_overflow(a.as_int(), b.as_int(), &product) ? int_overflow()
                                                                    : Value::integer(product);
  }
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a.as_uint(), b.as_uint(), &product) ? uint_overflow()
                                                                    : Value::unsigned_integer(product);
}

/// The quotient of a division that overflows: the smallest int by -1.
bool overflows(std::int64_t a, std::int64_t b) {
  return a == std::numeric_limits<std::int64_t>::min() && b == -1;
}

Value divide(Arguments arguments) {
  const Value& a = arguments[0];
  const Value& b = arguments[1];
  if (a.kind() != b.kind()) return no_such_overload(b);
  if (a.is(Kind::kDouble)) {
    // Go divides by zero as IEEE 754 does; in C++ only the type says that it may.
    static_assert(std::numeric_limits<double>::is_iec559);
    return Value::real(a.as_double() / b.as_double());
  }
  if (b.as_uint() == 0) return Value::error("division by zero");
  if (a.is(Kind::kUint)) return Value::unsigned_integer(a.as_uint() / b.as_uint());
  return overflows(a.as_int(), b.as_int()) ? int_overflow() : Value::integer(a.as_int() / b.as_int());
}

Value modulo(Arguments arguments) {
  const Value& a = arguments[0];
  const Value& b = arguments[1];
  if (a.kind() != b.kind()) return no_such_overload(b);
  if (b.as_uint() == 0) return Value::error("modulus by zero");
  if (a.is(Kind::kUint)) return Value::unsigned_integer(a.as_uint() % b.as_uint());
  return overflows(a.as_int(), b.as_int()) ? int_overflow() : Value::integer(a.as_int() % b.as_int());
}

Value negate(Arguments arguments) {
  const Value& a = arguments[0];
  if (a.is(Kind::kDouble)) return Value::real(-a.as_double());
  if (a.is(Kind::kInt)) return subtract_ints(0, a.as_int());
  if (a.is(Kind::kBool)) return no_such_overload();
  const Value negated = subtract_ints(0, a.as_duration());
  return negated.is_error() ? negated : Value::duration(negated.as_int());
}

Value logical_not(Arguments arguments) {
  if (!arguments[0].is(Kind::kBool)) return no_such_overload(arguments[0]);
  return Value::boolean(!arguments[0].as_bool());
}

template <bool holds(std::int64_t)>
Value compares(Arguments arguments) {
  const Value order = compare(arguments[0], arguments[1]);
  return order.is_error() ? order : Value::boolean(holds(order.as_int()));
}
constexpr bool is_less(std::int64_t order) { return order < 0; }
constexpr bool is_not_greater(std::int64_t order) { return order <= 0; }
constexpr bool is_greater(std::int64_t order) { return order > 0; }
constexpr bool is_not_less(std::int64_t order) { return order >= 0; }

Value is_in(Arguments arguments) {
  const Value& container = arguments[1];
  if (container.is(Kind::kMap)) return Value::boolean(container.as_map().has(arguments[0]));
  if (!container.is(Kind::kList)) return no_such_overload(container);
  Comparison comparison;
  const bool found = contains(container.as_list(), arguments[0], comparison);
  return comparison.result(Value::boolean(found));
}

void add_arithmetic(Environment& environment) {
  const Type list = Type::list(Type::parameter("A"));
  const Type i = Type::integer();
  const Type u = Type::unsigned_integer();
  const Type d = Type::real();
  const Type time = Type::timestamp();
  const Type span = Type::duration();
  const Type text = Type::string();
  const Type bytes = Type::bytes();
  environment.add_function({std::string(operators::kAdd),
                            {overload("add_bytes", {bytes, bytes}, bytes), overload("add_double", {d, d}, d),
                             overload("add_duration_duration", {span, span}, span),
                             overload("add_duration_timestamp", {span, time}, time),
                             overload("add_timestamp_duration", {time, span}, time),
                             overload("add_int64", {i, i}, i), overload("add_list", {list, list}, list),
                             overload("add_string", {text, text}, text), overload("add_uint64", {u, u}, u)},
                            add,
                            can_add});
  environment.add_function(
      {std::string(operators::kSubtract),
       {overload("subtract_double", {d, d}, d), overload("subtract_duration_duration", {span, span}, span),
        overload("subtract_int64", {i, i}, i), overload("subtract_timestamp_duration", {time, span}, time),
        overload("subtract_timestamp_timestamp", {time, time}, span), overload("subtract_uint64", {u, u}, u)},
       subtract,
       can_subtract});
  environment.add_function({std::string(operators::kMultiply),
                            {overload("multiply_double", {d, d}, d), overload("multiply_int64", {i, i}, i),
                             overload("multiply_uint64", {u, u}, u)},
                            multiply,
                            is_number});
  environment.add_function({std::string(operators::kDivide),
                            {overload("divide_double", {d, d}, d), overload("divide_int64", {i, i}, i),
                             overload("divide_uint64", {u, u}, u)},
                            divide,
                            is_number});
  environment.add_function({std::string(operators::kModulo),
                            {overload("modulo_int64", {i, i}, i), overload("modulo_uint64", {u, u}, u)},
                            modulo,
                            is_integer});
  environment.add_function({std::string(operators::kNegate),
                            {overload("negate_double", {d}, d), overload("negate_int64", {i}, i)},
                            negate,
                            can_negate});
}

/// The overloads of a comparison, in upstream's order.
std::vector<Overload> order_overloads(const std::string& name) {
  const Type i = Type::integer();
  const Type u = Type::unsigned_integer();
  const Type d = Type::real();
  std::vector<Overload> overloads;
  const auto add = [&](const std::string& types, const Type& a, const Type& b) {
    overloads.push_back(overload(name + "_" + types, {a, b}, Type::boolean()));
  };
  add("bool", Type::boolean(), Type::boolean());
  add("int64", i, i);
  add("int64_double", i, d);
  add("int64_uint64", i, u);
  add("uint64", u, u);
  add("uint64_double", u, d);
  add("uint64_int64", u, i);
  add("double", d, d);
  add("double_int64", d, i);
  add("double_uint64", d, u);
  add("string", Type::string(), Type::string());
  add("bytes", Type::bytes(), Type::bytes());
  add("timestamp", Type::timestamp(), Type::timestamp());
  add("duration", Type::duration(), Type::duration());
  return overloads;
}

void add_comparisons(Environment& environment) {
  const Type a = Type::parameter("A");
  // The evaluator computes these itself.
  environment.add_function({std::string(operators::kEquals), {overload("equals", {a, a}, Type::boolean())}});
  environment.add_function(
      {std::string(operators::kNotEquals), {overload("not_equals", {a, a}, Type::boolean())}});
  environment.add_function(
      {std::string(operators::kLess), order_overloads("less"), compares<is_less>, is_ordered});
  environment.add_function({std::string(operators::kLessEquals), order_overloads("less_equals"),
                            compares<is_not_greater>, is_ordered});
  environment.add_function(
      {std::string(operators::kGreater), order_overloads("greater"), compares<is_greater>, is_ordered});
  environment.add_function({std::string(operators::kGreaterEquals), order_overloads("greater_equals"),
                            compares<is_not_less>, is_ordered});
}

}  // namespace

Value add_values(const Value& a, const Value& b) {
  if (!can_add(a)) return no_such_overload(a);
  const Value both[] = {a, b};
  return add(both);
}

void add_operators(Environment& environment) {
  const Type a = Type::parameter("A");
  const Type b = Type::parameter("B");
  const Type list = Type::list(a);
  const Type map = Type::map(a, b);
  const Type boolean = Type::boolean();
  add_arithmetic(environment);
  add_comparisons(environment);
  // The evaluator computes what has no implementation here.
  environment.add_function(
      {std::string(operators::kConditional), {overload("conditional", {boolean, a, a}, a)}});
  environment.add_function(
      {std::string(operators::kAnd), {overload("logical_and", {boolean, boolean}, boolean)}});
  environment.add_function(
      {std::string(operators::kOr), {overload("logical_or", {boolean, boolean}, boolean)}});
  environment.add_function(
      {std::string(operators::kNot), {overload("logical_not", {boolean}, boolean)}, logical_not});
  environment.add_function(
      {std::string(operators::kNotStrictlyFalse), {overload("not_strictly_false", {boolean}, boolean)}});
  environment.add_function(
      {std::string(operators::kIndex),
       {overload("index_list", {list, Type::integer()}, a), overload("index_map", {map, a}, b)}});
  environment.add_function({std::string(operators::kIn),
                            {overload("in_list", {a, list}, boolean), overload("in_map", {a, map}, boolean)},
                            is_in});
}

}  // namespace winnow::cel
