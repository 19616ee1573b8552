#include "cluster/text/rfc3339.h"

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "cluster/text/ascii.h"

namespace winnow {
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
