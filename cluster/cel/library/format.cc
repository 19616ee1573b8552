// "…".format([…]). Upstream: cel-go v0.29.2 ext/formatting.go, with the locale en_US of golang.org/x/text.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

#include "cluster/cel/containers.h"
#include "cluster/cel/conversions.h"
#include "cluster/cel/format_clauses.h"
#include "cluster/cel/go_quote.h"
#include "cluster/cel/library/libraries.h"
#include "cluster/cel/literals.h"

namespace winnow::cel {
namespace {

using Formatted = std::expected<std::string, std::string>;

std::unexpected<std::string> refuse(std::string_view what, const Value& value) {
  return std::unexpected(std::string(what) + ", was given " + std::string(type_name_of(value)));
}

std::string printed(const char* format, int precision, double number) {
  const int size = std::snprintf(nullptr, 0, format, precision, number);
  std::string text(static_cast<std::size_t>(size), '\0');
  std::snprintf(text.data(), text.size() + 1, format, precision, number);
  return text;
}

Formatted text_clause(const Value& value, int depth);

/// A value within a list or a map.
Formatted nested(const Value& value, int depth) {
  if (value.is(Kind::kDouble)) {
    const double number = value.as_double();
    if (std::isnan(number)) return "\"NaN\"";
    if (std::isinf(number)) return number < 0 ? "\"-Inf\"" : "\"+Inf\"";
    return printed("%.*f", 6, number);
  }
  Formatted text = text_clause(value, depth);
  if (!text) {
    if (value.is(Kind::kOpaque) || value.is(Kind::kOptional))
      return std::unexpected("no formatting function for " + std::string(type_name_of(value)));
    return text;
  }
  if (value.is(Kind::kString)) return quote_as_go(*text);
  if (value.is(Kind::kBytes)) return "b" + quote_as_go(*text);
  if (value.is(Kind::kTimestamp)) return "timestamp(" + quote_as_go(*text) + ")";
  if (value.is(Kind::kDuration)) return "duration(" + quote_as_go(*text) + ")";
  return text;
}

/// Lists and maps that are nested deeper are no input of anybody's.
constexpr int kDeepestFormatted = 200;

Formatted list_text(const List& list, int depth) {
  std::string text = "[";
  for (std::size_t i = 0, size = list.size(); i < size; ++i) {
    const Formatted item = nested(list.at(i), depth - 1);
    if (!item) return item;
    text += (i > 0 ? ", " : "") + *item;
    if (text.size() > kLongestResult) return std::unexpected("a text is too long");
  }
  return text + "]";
}

Formatted map_text(const Map& map, int depth) {
  std::vector<std::pair<std::string, std::string>> entries;
  std::size_t length = 0;
  for (std::size_t i = 0, size = map.size(); i < size; ++i) {
    const Value key = map.key_at(i);
    if (!key.is(Kind::kString) && !key.is(Kind::kBool) && !key.is(Kind::kInt) && !key.is(Kind::kUint))
      return std::unexpected("no formatting function for map key of type " + std::string(type_name_of(key)));
    const Formatted value = nested(map.value_at(i), depth - 1);
    if (!value) return value;
    entries.emplace_back(nested(key, depth - 1).value_or(""), *value);
    length += entries.back().first.size() + value->size();
    if (length > kLongestResult) return std::unexpected("a text is too long");
  }
  std::ranges::stable_sort(entries, {}, &std::pair<std::string, std::string>::first);
  std::string text = "{";
  for (const auto& [key, value] : entries) text += (text.size() > 1 ? ", " : "") + key + ":" + value;
  return text + "}";
}

Formatted text_clause(const Value& value, int depth) {
  if (depth <= 0) return std::unexpected("a list is too deep");
  if (value.is(Kind::kList)) return list_text(value.as_list(), depth);
  if (value.is(Kind::kMap)) return map_text(value.as_map(), depth);
  if (value.is(Kind::kOpaque) || value.is(Kind::kOptional))
    return refuse(
        "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, "
        "durations, and "
        "timestamps",
        value);
  const Value text = to_string(value);
  if (text.is_error()) return std::unexpected("could not convert argument to string: " + text.message());
  return std::string(text.text());
}

Formatted decimal(const Value& value) {
  if (value.is(Kind::kInt)) return std::to_string(value.as_int());
  if (value.is(Kind::kUint)) return std::to_string(value.as_uint());
  return refuse("decimal clause can only be used on integers", value);
}

/// The double of a clause f or e: a double, or the name of one that has no digits.
std::expected<double, std::string> number_of(const Value& value, std::string_view clause) {
  if (value.is(Kind::kDouble)) return value.as_double() == 0 ? 0.0 : value.as_double();  // No -0.
  if (value.is(Kind::kString))
    for (const std::string_view name : {"NaN", "Infinity", "-Infinity"})
      if (value.text() == name) return *parse_double(name);
  return refuse(std::string(clause) + " clause can only be used on doubles", value);
}

std::string without_digits(double number) {
  if (std::isnan(number)) return "NaN";
  return number < 0 ? "-∞" : "∞";
}

/// Groups of three digits before the point.
Formatted fixed(const Value& value, int precision) {
  const auto number = number_of(value, "fixed-point");
  if (!number) return std::unexpected(number.error());
  if (!std::isfinite(*number)) return without_digits(*number);
  std::string text = printed("%.*f", precision < 0 ? 6 : precision, *number);
  if (precision > 255) {
    // Upstream's library keeps the least number of digits in a byte: 256 digits are none at least.
    const std::size_t least = text.find('.') + static_cast<std::size_t>(precision % 256);
    while (text.size() > least + 1 && text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
  }
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  const std::size_t point = std::min(text.find('.'), text.size());
  for (std::size_t at = point; at > first + 3;) text.insert(at -= 3, ",");
  return text;
}

/// "1.500000×10⁰³": always six digits. Upstream's library takes the precision for the width.
Formatted scientific(const Value& value, int precision) {
  const auto number = number_of(value, "scientific");
  if (!number) return std::unexpected(number.error());
  std::string result;
  if (!std::isfinite(*number)) {
    result = without_digits(*number);
  } else {
    const std::string text = printed("%.*e", 6, *number);
    constexpr std::array<std::string_view, 10> kRaised = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    const std::size_t e = text.find('e');
    result = text.substr(0, e) + "×10";
    for (const char c : text.substr(e + 1)) {
      if (c == '-') result += "⁻";
      if (c >= '0' && c <= '9') result += kRaised[static_cast<std::size_t>(c - '0')];
    }
  }
  const std::size_t width = precision < 0 ? 6 : static_cast<std::size_t>(precision);
  const std::size_t size = count_characters(result);
  return size < width ? std::string(width - size, ' ') + result : result;
}

std::string digits_of(std::uint64_t number, unsigned shift, bool upper) {
  const std::string_view digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
  std::string text;
  do text.insert(text.begin(), digits[number & ((1U << shift) - 1)]);
  while ((number >>= shift) != 0);
  return text;
}
/// An int or uint to the base 2^shift.
std::string to_base(const Value& value, unsigned shift, bool upper = false) {
  if (!value.is(Kind::kInt) || value.as_int() >= 0) return digits_of(value.as_uint(), shift, upper);
  return "-" + digits_of(0 - value.as_uint(), shift, upper);
}

Formatted hex(const Value& value, bool upper) {
  if (value.is(Kind::kInt) || value.is(Kind::kUint)) return to_base(value, 4, upper);
  if (!value.is(Kind::kString) && !value.is(Kind::kBytes))
    return refuse("only integers, byte buffers, and strings can be formatted as hex", value);
  std::string text;
  for (const char c : value.text()) {
    const auto byte = static_cast<unsigned char>(c);
    text += digits_of(byte >> 4, 4, upper) + digits_of(byte & 15, 4, upper);
  }
  return text;
}

Formatted clause(const FormatPart& part, const Value& value) {
  switch (part.verb) {
    case 's':
      return text_clause(value, kDeepestFormatted);
    case 'd':
      return decimal(value);
    case 'f':
      return fixed(value, part.precision);
    case 'e':
      return scientific(value, part.precision);
    case 'b':
      if (value.is(Kind::kBool)) return value.as_bool() ? "1" : "0";
      if (value.is(Kind::kInt) || value.is(Kind::kUint)) return to_base(value, 1);
      return refuse("only integers and bools can be formatted as binary", value);
    case 'o':
      if (value.is(Kind::kInt) || value.is(Kind::kUint)) return to_base(value, 3);
      return refuse("octal clause can only be used on integers", value);
    default:
      return hex(value, part.verb == 'X');
  }
}

Value format(Arguments arguments) {
  std::string_view rest = arguments[0].text();
  const List& list = arguments[1].as_list();
  std::string text;
  std::size_t used = 0;
  while (!rest.empty()) {
    const bool is_clause = rest.front() == '%' && !rest.starts_with("%%");
    if (is_clause && used >= list.size())
      return Value::error("index " + std::to_string(used) + " out of range");
    const auto part = next_format_part(rest);
    if (!part) return Value::error(part.error());
    if (part->verb == 0) {
      text += part->text;
    } else {
      const Formatted formatted = clause(*part, list.at(used++));
      if (!formatted) return Value::error("error during formatting: " + formatted.error());
      text += *formatted;
    }
    if (text.size() > kLongestResult) return Value::error("a text is too long");
  }
  return Value::string(std::move(text));
}

}  // namespace

void add_format(Environment& environment) {
  environment.add_function(
      {"format",
       {member("string_format", {Type::string(), Type::list(Type::dyn())}, Type::string(), format)}});
}

}  // namespace winnow::cel
