#include "cluster/text/go_duration.h"

#include <algorithm>
#include <limits>

#include "cluster/text/ascii.h"

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

}  // namespace winnow
