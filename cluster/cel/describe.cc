// Values as texts for people.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include "cluster/cel/numbers.h"
#include "cluster/cel/times.h"
#include "cluster/cel/value.h"
#include "cluster/text/go_format.h"

namespace winnow::cel {
namespace {

/// What is nested deeper, or longer, is cut: a list may hold itself thousands of times.
constexpr int kDeepestDescribed = 16;
constexpr std::size_t kLongest = 4000;

std::string double_text(double number) {
  if (std::isnan(number)) return "double(\"NaN\")";
  if (std::isinf(number)) return number < 0 ? "double(\"-Infinity\")" : "double(\"Infinity\")";
  std::array<char, 512> buffer{};
  const char* const end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, std::chars_format::fixed).ptr;
  std::string text(static_cast<const char*>(buffer.data()), end);
  return text.contains('.') ? text : text + ".0";
}

std::string bytes_text(std::string_view bytes) {
  std::string text = "b\"";
  for (const char c : bytes.substr(0, kLongest)) {
    const auto byte = static_cast<unsigned char>(c);
    text += '\\';
    for (const int shift : {6, 3, 0}) text += static_cast<char>('0' + (byte >> shift & 7));
  }
  return text + "\"";
}

std::string describe_in(const Value& value, int depth);

std::string list_text(const List& list, int depth) {
  std::string text = "[";
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) text += ", ";
    if (depth == 0 || text.size() > kLongest) return text + "…]";
    text += describe_in(list.at(i), depth - 1);
  }
  return text + "]";
}

std::string map_text(const Map& map, int depth) {
  std::vector<std::pair<std::string, std::string>> entries;
  std::size_t size = 0;
  for (std::size_t i = 0; i < map.size() && depth > 0 && size < kLongest; ++i) {
    entries.emplace_back(describe_in(map.key_at(i), depth - 1), describe_in(map.value_at(i), depth - 1));
    size += entries.back().first.size() + entries.back().second.size();
  }
  std::ranges::stable_sort(entries, {}, &std::pair<std::string, std::string>::first);
  std::string text = "{";
  for (const auto& [key, entry] : entries) text += (text.size() > 1 ? ", " : "") + key + ": " + entry;
  return text + (entries.size() < map.size() ? "…}" : "}");
}

std::string describe_in(const Value& value, int depth) {
  switch (value.kind()) {
    case Kind::kNull:
      return "null";
    case Kind::kBool:
      return value.as_bool() ? "true" : "false";
    case Kind::kInt:
      return std::to_string(value.as_int());
    case Kind::kUint:
      return std::to_string(value.as_uint()) + "u";
    case Kind::kDouble:
      return double_text(value.as_double());
    case Kind::kString:
      return go_quote(value.text());
    case Kind::kBytes:
      return bytes_text(value.text());
    case Kind::kTimestamp:
      return "timestamp(\"" + timestamp_text(value.as_timestamp()) + "\")";
    case Kind::kDuration:
      return "duration(\"" + duration_text(value.as_duration()) + "\")";
    case Kind::kList:
      return list_text(value.as_list(), depth);
    case Kind::kMap:
      return map_text(value.as_map(), depth);
    case Kind::kType:
      return std::string(value.text());
    case Kind::kOptional:
      if (value.as_optional() == nullptr) return "optional.none()";
      return depth == 0 ? "…" : "optional.of(" + describe_in(*value.as_optional(), depth - 1) + ")";
    case Kind::kOpaque:
      return value.as_opaque().text();
    case Kind::kError:
      return value.message();
  }
  return "";
}

}  // namespace

std::string describe(const Value& value) { return describe_in(value, kDeepestDescribed); }

std::string plain_text(const Value& value) {
  if (value.is(Kind::kString)) return std::string(value.text().substr(0, kLongest));
  if (value.is(Kind::kUint)) return std::to_string(value.as_uint());
  if (value.is(Kind::kDouble)) return general_text(value.as_double());
  return describe(value);
}

}  // namespace winnow::cel
