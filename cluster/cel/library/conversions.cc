// Conversions between types. Upstream: cel-go v0.29.2 common/stdlib/standard.go, and ConvertToType of each
// type.
#include "cluster/cel/conversions.h"

#include <cmath>
#include <cstdint>

#include "cluster/cel/library/libraries.h"
#include "cluster/cel/literals.h"
#include "cluster/cel/numbers.h"
#include "cluster/cel/times.h"
#include "cluster/text/go_format.h"

namespace winnow::cel {
namespace {

Value fails(std::string_view from, std::string_view to) {
  return Value::error("type conversion error from '" + std::string(from) + "' to '" + std::string(to) + "'");
}

Value identity(Arguments arguments) { return arguments[0]; }
Value type_of(Arguments arguments) { return Value::type(type_name_of(arguments[0])); }

Value int_of_double(Arguments arguments) {
  const double number = arguments[0].as_double();
  if (!(number > -0x1p63 && number < 0x1p63)) return Value::error("integer overflow");
  return Value::integer(static_cast<std::int64_t>(number));
}
Value int_of_uint(Arguments arguments) {
  if (arguments[0].as_uint() > INT64_MAX) return Value::error("integer overflow");
  return Value::integer(static_cast<std::int64_t>(arguments[0].as_uint()));
}
Value int_of_duration(Arguments arguments) { return Value::integer(arguments[0].as_duration()); }
Value int_of_timestamp(Arguments arguments) { return Value::integer(arguments[0].as_timestamp().seconds); }
Value int_of_string(Arguments arguments) {
  const auto number = parse_int(arguments[0].text());
  return number ? Value::integer(*number) : fails("string", "int");
}

Value uint_of_double(Arguments arguments) {
  const double number = arguments[0].as_double();
  if (!(number >= 0 && number < 0x1p64)) return Value::error("unsigned integer overflow");
  return Value::unsigned_integer(static_cast<std::uint64_t>(number));
}
Value uint_of_int(Arguments arguments) {
  if (arguments[0].as_int() < 0) return Value::error("unsigned integer overflow");
  return Value::unsigned_integer(static_cast<std::uint64_t>(arguments[0].as_int()));
}
Value uint_of_string(Arguments arguments) {
  const auto number = parse_uint(arguments[0].text());
  return number ? Value::unsigned_integer(*number) : fails("string", "uint");
}

Value double_of_int(Arguments arguments) { return Value::real(static_cast<double>(arguments[0].as_int())); }
Value double_of_uint(Arguments arguments) { return Value::real(static_cast<double>(arguments[0].as_uint())); }
Value double_of_string(Arguments arguments) {
  const auto number = parse_double(arguments[0].text());
  return number ? Value::real(*number) : fails("string", "double");
}

Value bool_of_string(Arguments arguments) {
  const std::string_view text = arguments[0].text();
  for (const std::string_view yes : {"1", "t", "T", "true", "TRUE", "True"})
    if (text == yes) return Value::boolean(true);
  for (const std::string_view no : {"0", "f", "F", "false", "FALSE", "False"})
    if (text == no) return Value::boolean(false);
  return fails("string", "bool");
}

Value bytes_of_string(Arguments arguments) { return Value::bytes(std::string(arguments[0].text())); }

Value duration_of_string(Arguments arguments) {
  const auto nanos = parse_go_duration(arguments[0].text());
  return nanos ? Value::duration(*nanos) : fails("string", "google.protobuf.Duration");
}

Value timestamp_of_int(Arguments arguments) {
  const std::int64_t seconds = arguments[0].as_int();
  if (seconds < kFirstSecond || seconds > kLastSecond) return Value::error("timestamp overflow");
  return Value::timestamp({seconds, 0, 0});
}
Value timestamp_of_string(Arguments arguments) {
  const auto time = parse_timestamp(arguments[0].text());
  if (!time) return fails("string", "google.protobuf.Timestamp");
  if (time->seconds < kFirstSecond || time->seconds > kLastSecond) return Value::error("timestamp overflow");
  return Value::timestamp(*time);
}

Value string_of(Arguments arguments) { return to_string(arguments[0]); }

}  // namespace

bool is_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const Character next = next_character(text.substr(at));
    if (!next.valid) return false;
    at += next.size;
  }
  return true;
}

Value to_string(const Value& value) {
  switch (value.kind()) {
    case Kind::kString:
      return value;
    case Kind::kNull:
      return Value::borrowed("null");
    case Kind::kBool:
      return Value::borrowed(value.as_bool() ? "true" : "false");
    case Kind::kInt:
      return Value::string(std::to_string(value.as_int()));
    case Kind::kUint:
      return Value::string(std::to_string(value.as_uint()));
    case Kind::kDouble:
      return Value::string(general_text(value.as_double()));
    case Kind::kBytes:
      if (!is_utf8(value.text())) return Value::error("invalid UTF-8 in bytes, cannot convert to string");
      return Value::string(std::string(value.text()));
    case Kind::kTimestamp:
      return Value::string(timestamp_text(value.as_timestamp()));
    case Kind::kDuration:
      return Value::string(duration_text(value.as_duration()));
    case Kind::kType:
      return Value::string(std::string(value.text()));
    default:
      return fails(type_name_of(value), "string");
  }
}

void add_conversions(Environment& environment) {
  const Type a = Type::parameter("A");
  const Type i = Type::integer();
  const Type u = Type::unsigned_integer();
  const Type d = Type::real();
  const Type text = Type::string();
  const Type bytes = Type::bytes();
  const Type flag = Type::boolean();
  const Type time = Type::timestamp();
  const Type span = Type::duration();
  environment.add_function({"type", {overload("type", {a}, Type::type_of(a))}, type_of});
  environment.add_function({"dyn", {overload("to_dyn", {a}, Type::dyn())}, identity});
  environment.add_function({"bool",
                            {overload("bool_to_bool", {flag}, flag, identity),
                             overload("string_to_bool", {text}, flag, bool_of_string)}});
  environment.add_function({"bytes",
                            {overload("bytes_to_bytes", {bytes}, bytes, identity),
                             overload("string_to_bytes", {text}, bytes, bytes_of_string)}});
  environment.add_function(
      {"double",
       {overload("double_to_double", {d}, d, identity), overload("int64_to_double", {i}, d, double_of_int),
        overload("string_to_double", {text}, d, double_of_string),
        overload("uint64_to_double", {u}, d, double_of_uint)}});
  environment.add_function({"duration",
                            {overload("duration_to_duration", {span}, span, identity),
                             overload("string_to_duration", {text}, span, duration_of_string)}});
  environment.add_function(
      {"int",
       {overload("int64_to_int64", {i}, i, identity), overload("double_to_int64", {d}, i, int_of_double),
        overload("duration_to_int64", {span}, i, int_of_duration),
        overload("string_to_int64", {text}, i, int_of_string),
        overload("timestamp_to_int64", {time}, i, int_of_timestamp),
        overload("uint64_to_int64", {u}, i, int_of_uint)}});
  environment.add_function({"string",
                            {overload("string_to_string", {text}, text, identity),
                             overload("bool_to_string", {flag}, text, string_of),
                             overload("bytes_to_string", {bytes}, text, string_of),
                             overload("double_to_string", {d}, text, string_of),
                             overload("duration_to_string", {span}, text, string_of),
                             overload("int64_to_string", {i}, text, string_of),
                             overload("timestamp_to_string", {time}, text, string_of),
                             overload("uint64_to_string", {u}, text, string_of)}});
  environment.add_function({"timestamp",
                            {overload("timestamp_to_timestamp", {time}, time, identity),
                             overload("int64_to_timestamp", {i}, time, timestamp_of_int),
                             overload("string_to_timestamp", {text}, time, timestamp_of_string)}});
  environment.add_function(
      {"uint",
       {overload("uint64_to_uint64", {u}, u, identity), overload("double_to_uint64", {d}, u, uint_of_double),
        overload("int64_to_uint64", {i}, u, uint_of_int),
        overload("string_to_uint64", {text}, u, uint_of_string)}});
}

}  // namespace winnow::cel
