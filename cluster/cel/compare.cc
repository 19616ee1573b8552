// Equality and order of values. Upstream: cel-go v0.29.2 common/types compare.go, and Equal and Compare of
// each type.
#include <cmath>
#include <compare>
#include <utility>

#include "cluster/cel/comparison.h"
#include "cluster/cel/value.h"

namespace winnow::cel {
namespace {

int sign(auto a, auto b) { return a < b ? -1 : a > b ? 1 : 0; }

/// Neither is NaN.
int compare_double_int(double a, std::int64_t b) {
  if (a < -0x1p63) return -1;
  if (a > 0x1p63) return 1;
  return sign(a, static_cast<double>(b));
}
int compare_double_uint(double a, std::uint64_t b) {
  if (a < 0) return -1;
  if (a > 0x1p64) return 1;
  return sign(a, static_cast<double>(b));
}
int compare_int_uint(std::int64_t a, std::uint64_t b) {
  if (a < 0) return -1;
  return sign(static_cast<std::uint64_t>(a), b);
}

bool is_nan(const Value& value) { return value.is(Kind::kDouble) && std::isnan(value.as_double()); }

/// Both are numbers, and neither is NaN.
int compare_numbers(const Value& a, const Value& b) {
  if (a.is(Kind::kDouble)) {
    if (b.is(Kind::kDouble)) return sign(a.as_double(), b.as_double());
    return b.is(Kind::kInt) ? compare_double_int(a.as_double(), b.as_int())
                            : compare_double_uint(a.as_double(), b.as_uint());
  }
  if (b.is(Kind::kDouble)) return -compare_numbers(b, a);
  if (a.is(Kind::kInt))
    return b.is(Kind::kInt) ? sign(a.as_int(), b.as_int()) : compare_int_uint(a.as_int(), b.as_uint());
  return b.is(Kind::kUint) ? sign(a.as_uint(), b.as_uint()) : -compare_int_uint(b.as_int(), a.as_uint());
}

/// How deep values may be that are compared. What is made by expressions is not as deep.
constexpr int kDeepestCompared = 1000;

Value equal_in(const Value& a, const Value& b, int& parts, int depth);

/// An error of an element counts as equal, as upstream has it: only "false" ends the comparison.
Value equal_lists(const List& a, const List& b, int& parts, int depth) {
  const std::size_t size = a.size();
  if (size != b.size()) return Value::boolean(false);
  for (std::size_t i = 0; i < size && parts >= 0; ++i)
    if (equal_in(a.at(i), b.at(i), parts, depth).is_false()) return Value::boolean(false);
  return Value::boolean(true);
}

Value equal_maps(const Map& a, const Map& b, int& parts, int depth) {
  const std::size_t size = a.size();
  if (size != b.size()) return Value::boolean(false);
  for (std::size_t i = 0; i < size && parts >= 0; ++i) {
    const auto other = b.find(a.key_at(i));
    if (!other || equal_in(a.value_at(i), *other, parts, depth).is_false()) return Value::boolean(false);
  }
  return Value::boolean(true);
}

Value equal_optionals(const Value& a, const Value& b, int& parts, int depth) {
  const Value* x = a.as_optional();
  const Value* y = b.as_optional();
  if (x == nullptr || y == nullptr) return Value::boolean(x == y);
  return equal_in(*x, *y, parts, depth);
}

Value equal_in(const Value& a, const Value& b, int& parts, int depth) {
  if (a.is_error()) return a;
  if (depth > kDeepestCompared) parts = 0;
  if (--parts < 0) return Value::error("a comparison is too long");
  if (a.is_number()) {
    const bool comparable = b.is_number() && !is_nan(a) && !is_nan(b);
    return Value::boolean(comparable && compare_numbers(a, b) == 0);
  }
  if (a.is(Kind::kOpaque) && !b.is(Kind::kNull)) return a.as_opaque().equal(b);
  if (a.kind() != b.kind()) return Value::boolean(false);
  switch (a.kind()) {
    case Kind::kBool:
      return Value::boolean(a.as_bool() == b.as_bool());
    case Kind::kString:
    case Kind::kBytes:
    case Kind::kType:
      return Value::boolean(a.text() == b.text());
    case Kind::kTimestamp:
      return Value::boolean(a.as_timestamp() == b.as_timestamp());
    case Kind::kDuration:
      return Value::boolean(a.as_duration() == b.as_duration());
    case Kind::kList:
      return equal_lists(a.as_list(), b.as_list(), parts, depth + 1);
    case Kind::kMap:
      return equal_maps(a.as_map(), b.as_map(), parts, depth + 1);
    case Kind::kOptional:
      return equal_optionals(a, b, parts, depth + 1);
    default:
      return Value::boolean(true);  // Two nulls.
  }
}

}  // namespace

Value Comparison::equal(const Value& a, const Value& b) {
  if (is_exhausted()) return Value::error("a comparison is too long");
  return equal_in(a, b, parts_, 0);
}

Value Comparison::result(Value value) const {
  return is_exhausted() ? Value::error("a comparison is too long") : value;
}

Value equal(const Value& a, const Value& b) {
  Comparison comparison;
  Value result = comparison.equal(a, b);
  return comparison.result(std::move(result));
}

bool is_equal(const Value& a, const Value& b) { return equal(a, b).is_true(); }

Value compare(const Value& a, const Value& b) {
  if (a.is_number() && (b.is_number() || is_nan(a))) {
    if (is_nan(a) || is_nan(b)) return Value::error("NaN values cannot be ordered");
    return Value::integer(compare_numbers(a, b));
  }
  if (a.kind() != b.kind()) return no_such_overload(b);
  switch (a.kind()) {
    case Kind::kBool:
      return Value::integer(sign(a.as_bool(), b.as_bool()));
    case Kind::kString:
    case Kind::kBytes:
      return Value::integer(sign(a.text(), b.text()));
    case Kind::kDuration:
      return Value::integer(sign(a.as_duration(), b.as_duration()));
    case Kind::kTimestamp: {
      const Timestamp x = a.as_timestamp();
      const Timestamp y = b.as_timestamp();
      return Value::integer(x.seconds != y.seconds ? sign(x.seconds, y.seconds) : sign(x.nanos, y.nanos));
    }
    default:
      return no_such_overload(b);
  }
}

}  // namespace winnow::cel
