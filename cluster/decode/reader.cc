#include "cluster/decode/reader.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstring>
#include <format>
#include <limits>

#include "cluster/label_syntax.h"

namespace winnow {
namespace {

bool is_plain_key(std::string_view key) {
  return !key.empty() && std::ranges::all_of(key, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

std::string_view text_of(const rapidjson::Value& value) {
  return {value.GetString(), value.GetStringLength()};
}

/// The shortest text that reads as this number, which is what was written unless it had 17 digits or more.
std::string number_text(const rapidjson::Value& value) {
  if (value.IsInt64()) return std::to_string(value.GetInt64());
  if (value.IsUint64()) return std::to_string(value.GetUint64());
  return std::format("{}", value.GetDouble());
}

std::string render_value(const rapidjson::Value& value) {
  constexpr std::size_t kMaxShown = 80;
  if (value.IsNull()) return "null";
  if (value.IsBool()) return value.GetBool() ? "true" : "false";
  if (value.IsNumber()) return number_text(value);
  if (value.IsObject()) return "an object";
  if (value.IsArray()) return "a list";
  const std::string_view text = text_of(value);
  if (text.size() <= kMaxShown) return go_quote(text);
  return go_quote(text.substr(0, kMaxShown)) + "…";
}

template <class Integer>
bool read_integer(const Reader& reader, Integer& target, std::string_view expected) {
  using Limits = std::numeric_limits<Integer>;
  if (!reader.value().IsInt64()) return reader.fail(expected);
  const std::int64_t number = reader.value().GetInt64();
  if (number < Limits::min() || number > Limits::max()) return reader.fail(expected);
  target = static_cast<Integer>(number);
  return true;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\r\v\f";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

/// Takes `count` digits off the front.
std::optional<int> take_number(std::string_view& text, std::size_t count) {
  if (text.size() < count) return std::nullopt;
  int number = 0;
  for (const char c : text.substr(0, count)) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + (c - '0');
  }
  text.remove_prefix(count);
  return number;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

/// "Z" or "+hh:mm", the whole rest; in seconds.
std::optional<std::int64_t> parse_offset(std::string_view text) {
  if (text == "Z") return 0;
  const bool west = text.starts_with('-');
  if (!take(text, '+') && !take(text, '-')) return std::nullopt;
  const auto hours = take_number(text, 2);
  if (!hours || *hours > 24 || !take(text, ':')) return std::nullopt;
  const auto minutes = take_number(text, 2);
  if (!minutes || *minutes > 60 || !text.empty()) return std::nullopt;
  const std::int64_t seconds = *hours * 3600 + *minutes * 60;
  return west ? -seconds : seconds;
}

std::optional<std::int64_t> parse_day(std::string_view& text) {
  const auto year = take_number(text, 4);
  if (!year || !take(text, '-')) return std::nullopt;
  const auto month = take_number(text, 2);
  if (!month || !take(text, '-')) return std::nullopt;
  const auto day = take_number(text, 2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count();
}

std::optional<std::int64_t> parse_clock(std::string_view& text) {
  const bool one_digit =
      text.size() > 1 && text[1] == ':';  // Go's time.Parse takes that, for the hour alone.
  const auto hour = take_number(text, one_digit ? 1 : 2);
  if (!hour || *hour > 23 || !take(text, ':')) return std::nullopt;
  const auto minute = take_number(text, 2);
  if (!minute || *minute > 59 || !take(text, ':')) return std::nullopt;
  const auto second = take_number(text, 2);
  if (!second || *second > 59) return std::nullopt;
  if (text.starts_with('.') || text.starts_with(',')) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789", 1), text.size());
    if (end == 1) return std::nullopt;
    text.remove_prefix(end);
  }
  return *hour * 3600 + *minute * 60 + *second;
}

std::optional<std::int64_t> parse_time(std::string_view text) {
  const auto day = parse_day(text);
  if (!day || !take(text, 'T')) return std::nullopt;
  const auto clock = parse_clock(text);
  if (!clock) return std::nullopt;
  const auto offset = parse_offset(text);
  if (!offset) return std::nullopt;
  return *day * 86400 + *clock - *offset;
}

}  // namespace

std::string render_path(const PathStep* path) {
  if (path == nullptr) return {};
  std::string text = render_path(path->parent);
  if (path->index) return text + std::format("[{}]", *path->index);
  if (!is_plain_key(path->key)) return text + std::format("[{}]", go_quote(path->key));
  if (!text.empty()) text += '.';
  return text.append(path->key);
}

bool Reader::fail(std::string_view expected) const {
  return complain(std::format("{} is not {}", render_value(value_), expected));
}

bool Reader::complain(std::string_view what) const {
  error_ = render_path(path_);
  if (!error_.empty()) error_ += ": ";
  error_ += what;
  return false;
}

const rapidjson::Value* Reader::find(std::string_view key) const {
  // From the end: the last of equal keys counts.
  for (auto member = value_.MemberEnd(); member != value_.MemberBegin();) {
    --member;
    if (text_of(member->name) == key) return &member->value;
  }
  return nullptr;
}

bool Reader::has(std::string_view key) const {
  const rapidjson::Value* const member = find(key);
  return member != nullptr && !member->IsNull();
}

bool read_value(const Reader& reader, std::string& target) {
  if (!reader.value().IsString()) return reader.fail("a string");
  target = text_of(reader.value());
  return true;
}

bool read_value(const Reader& reader, bool& target) {
  if (!reader.value().IsBool()) return reader.fail("a boolean");
  target = reader.value().GetBool();
  return true;
}

bool read_value(const Reader& reader, std::int32_t& target) {
  return read_integer(reader, target, "a 32-bit integer");
}

bool read_value(const Reader& reader, std::int64_t& target) {
  return read_integer(reader, target, "a 64-bit integer");
}

bool read_value(const Reader& reader, Quantity& target) {
  const rapidjson::Value& value = reader.value();
  if (!value.IsString() && !value.IsNumber()) return reader.fail("a quantity");
  const auto quantity = Quantity::parse(value.IsString() ? trim(text_of(value)) : number_text(value));
  if (!quantity) return reader.fail("a quantity");
  target = *quantity;
  return true;
}

bool read_value(const Reader& reader, Time& target) {
  if (!reader.value().IsString()) return reader.fail("a time");
  const auto seconds = parse_time(text_of(reader.value()));
  if (!seconds) return reader.fail("a time in RFC 3339 form");
  target.seconds = *seconds;
  return true;
}

bool read_value(const Reader& reader, StringMap& target) {
  target.clear();
  return reader.for_each_member([&](std::string_view key, const Reader& value) {
    std::string& text = target[std::string(key)];
    text.clear();
    return value.is_null() || read_value(value, text);
  });
}

bool read_value(const Reader& reader, ResourceList& target) {
  target.clear();
  return reader.for_each_member([&](std::string_view key, const Reader& value) {
    Quantity& amount = target[std::string(key)];
    amount = {};
    return value.is_null() || read_value(value, amount);
  });
}

}  // namespace winnow
