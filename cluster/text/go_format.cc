#include "cluster/text/go_format.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <format>
#include <limits>

#include "cluster/text/characters.h"

namespace winnow {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t nanoseconds;
};
constexpr Unit kUnits[] = {
    {"ns", 1},         {"us", 1'000},        {"µs", 1'000},         {"μs", 1'000},
    {"ms", 1'000'000}, {"s", 1'000'000'000}, {"m", 60'000'000'000}, {"h", 3'600'000'000'000},
};
/// The largest duration plus one. Only a negative duration may reach it: "-2562047h47m16.854775808s".
constexpr std::uint64_t kLimit = std::uint64_t{1} << 63;

/// Takes the leading digits as a number; nothing if it is too large.
std::optional<std::uint64_t> take_whole(std::string_view& text) {
  std::uint64_t number = 0;
  for (; !text.empty() && is_digit(text[0]); text.remove_prefix(1)) {
    if (number > kLimit / 10) return std::nullopt;
    number = number * 10 + static_cast<std::uint64_t>(text[0] - '0');
    if (number > kLimit) return std::nullopt;
  }
  return number;
}

/// Takes the digits after the point, and the divisor for them. Digits that do not fit are dropped.
void take_fraction(std::string_view& text, std::uint64_t& number, double& scale) {
  bool full = false;
  for (; !text.empty() && is_digit(text[0]); text.remove_prefix(1)) {
    if (full) continue;
    const std::uint64_t next = number * 10 + static_cast<std::uint64_t>(text[0] - '0');
    full = number > (kLimit - 1) / 10 || next > kLimit;
    if (full) continue;
    number = next;
    scale *= 10;
  }
}

const Unit* take_unit(std::string_view& text) {
  const auto end = std::ranges::find_if(text, [](char c) { return c == '.' || is_digit(c); });
  const auto size = static_cast<std::size_t>(end - text.begin());
  const auto unit = std::ranges::find(kUnits, text.substr(0, size), &Unit::name);
  text.remove_prefix(size);
  return unit == std::end(kUnits) ? nullptr : unit;
}

/// Takes a number with its unit.
std::optional<std::uint64_t> take_part(std::string_view& text) {
  const std::size_t before = text.size();
  const auto whole = take_whole(text);
  if (!whole) return std::nullopt;
  bool has_digits = text.size() != before;
  std::uint64_t fraction = 0;
  double scale = 1;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    const std::size_t behind_point = text.size();
    take_fraction(text, fraction, scale);
    has_digits = has_digits || text.size() != behind_point;
  }
  if (!has_digits) return std::nullopt;
  const Unit* const unit = take_unit(text);
  if (unit == nullptr || *whole > kLimit / unit->nanoseconds) return std::nullopt;
  std::uint64_t sum = *whole * unit->nanoseconds;
  if (fraction > 0)
    sum += static_cast<std::uint64_t>(static_cast<double>(fraction) *
                                      (static_cast<double>(unit->nanoseconds) / scale));
  return sum > kLimit ? std::nullopt : std::optional(sum);
}

}  // namespace

std::optional<std::int64_t> parse_go_duration(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return 0;
  if (text.empty()) return std::nullopt;
  std::uint64_t sum = 0;
  while (!text.empty()) {
    const auto part = take_part(text);
    if (!part) return std::nullopt;
    sum += *part;
    if (sum > kLimit) return std::nullopt;
  }
  if (negative) return static_cast<std::int64_t>(0 - sum);
  if (sum == kLimit) return std::nullopt;
  return static_cast<std::int64_t>(sum);
}

namespace {

/// One character as `%q` has it; of no character the byte.
void append_character(std::string& quoted, std::string_view character, bool is_utf8) {
  constexpr std::string_view kEscaped = "\a\b\f\n\r\t\v\\\"";
  constexpr std::string_view kLetters = "abfnrtv\\\"";
  const char c = character.front();
  if (const std::size_t index = kEscaped.find(c); index != std::string_view::npos) {
    quoted += '\\';
    quoted += kLetters[index];
  } else if (!is_utf8 || is_control(c)) {
    quoted += std::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  } else if (const auto code = utf8_code(character); steers_display(code)) {
    const auto number = static_cast<std::uint32_t>(code);
    quoted += code > 0xffff ? std::format("\\U{:08x}", number) : std::format("\\u{:04x}", number);
  } else {
    quoted += character;
  }
}

}  // namespace

std::string go_quote(std::string_view text, std::size_t most) {
  const std::string_view start = utf8_prefix(text, most);
  std::string quoted = "\"";
  for (std::size_t at = 0; at < start.size();) {
    const std::size_t length = utf8_length(start, at);
    append_character(quoted, start.substr(at, length == 0 ? 1 : length), length != 0);
    at += length == 0 ? 1 : length;
  }
  quoted += '"';
  return start.size() < text.size() ? quoted + "…" : quoted;
}

namespace {

/// Reads `count` digits at the start of the text, and removes them.
std::optional<int> take_number(std::string_view& text, std::size_t count) {
  if (text.size() < count) return std::nullopt;
  int number = 0;
  for (const char c : text.substr(0, count)) {
    if (!is_digit(c)) return std::nullopt;
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

/// Parses the end of a time, "Z" or "+hh:mm". @return seconds east of UTC.
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
      text.size() > 1 && text[1] == ':';  // Go's time.Parse accepts one digit, but only for the hour.
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

}  // namespace

std::optional<std::int64_t> parse_rfc3339(std::string_view text) {
  const auto day = parse_day(text);
  if (!day || !take(text, 'T')) return std::nullopt;
  const auto clock = parse_clock(text);
  if (!clock) return std::nullopt;
  const auto offset = parse_offset(text);
  if (!offset) return std::nullopt;
  return *day * 86400 + *clock - *offset;
}

}  // namespace winnow
