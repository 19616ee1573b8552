#include "cluster/cel/times.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "cluster/cel/literals.h"
#include "cluster/text/characters.h"

namespace winnow::cel {
namespace {

constexpr std::int64_t kDay = 86'400;

/// The days from 1970-01-01 to the date of the proleptic Gregorian calendar.
std::int64_t days_of(std::int64_t year, int month, int day) {
  year -= month <= 2 ? 1 : 0;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const std::int64_t of_era = year - era * 400;
  const std::int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146'097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719'468;
}

bool is_leap(std::int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

int days_in(std::int64_t year, int month) {
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && is_leap(year) ? 29 : kDays[static_cast<std::size_t>(month - 1)];
}

/// Reads numbers and signs from the start of a text.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}
  bool failed() const { return failed_; }
  bool at_end() const { return text_.empty(); }
  char front() const { return text_.empty() ? '\0' : text_.front(); }

  int number(std::size_t least, std::size_t most) {
    std::size_t count = 0;
    int value = 0;
    while (count < most && count < text_.size() && is_digit(text_[count]))
      value = value * 10 + text_[count++] - '0';
    if (count < least) failed_ = true;
    text_.remove_prefix(count);
    return value;
  }
  void expect(char c) {
    if (front() != c) failed_ = true;
    if (!text_.empty()) text_.remove_prefix(1);
  }
  char take() {
    const char c = front();
    if (!text_.empty()) text_.remove_prefix(1);
    return c;
  }
  /// Nanoseconds behind a dot or comma, if digits follow it. More than nine are cut off.
  std::uint32_t fraction() {
    if ((front() != '.' && front() != ',') || text_.size() < 2 || !is_digit(text_[1])) return 0;
    text_.remove_prefix(1);
    std::uint32_t nanos = 0;
    std::size_t count = 0;
    for (; count < text_.size() && is_digit(text_[count]); ++count)
      if (count < 9) nanos = nanos * 10 + static_cast<std::uint32_t>(text_[count] - '0');
    for (std::size_t i = count; i < 9; ++i) nanos *= 10;
    text_.remove_prefix(count);
    return nanos;
  }

 private:
  std::string_view text_;
  bool failed_ = false;
};

/// Seconds east of UTC, from "Z" or "+02:00".
int offset_of(Reader& reader, bool& valid) {
  const char sign = reader.take();
  if (sign == 'Z') return 0;
  const int hours = reader.number(2, 2);
  reader.expect(':');
  const int minutes = reader.number(2, 2);
  // Go's limits are one more than one would think.
  valid = (sign == '+' || sign == '-') && hours <= 24 && minutes <= 60;
  return (sign == '-' ? -1 : 1) * (hours * 60 + minutes) * 60;
}

std::string padded(std::int64_t number, std::size_t width) {
  std::string digits = std::to_string(number);
  return digits.size() < width ? std::string(width - digits.size(), '0') + digits : digits;
}

Value timestamp_overflow() { return Value::error("timestamp overflow"); }
Value int_overflow() { return Value::error("integer overflow"); }

Value add_span(const Timestamp& time, std::int64_t span) {
  std::int64_t seconds = time.seconds + span / kSecond;  // Far from overflow: timestamps are in range.
  std::int64_t nanos = time.nanos + span % kSecond;
  if (nanos < 0) {
    --seconds;
    nanos += kSecond;
  } else if (nanos >= kSecond) {
    ++seconds;
    nanos -= kSecond;
  }
  if (seconds < kFirstSecond || seconds > kLastSecond) return timestamp_overflow();
  return Value::timestamp({seconds, static_cast<std::uint32_t>(nanos), time.offset});
}

Value subtract_timestamps(const Timestamp& a, const Timestamp& b) {
  std::int64_t nanos = 0;
  const std::int64_t fraction = static_cast<std::int64_t>(a.nanos) - static_cast<std::int64_t>(b.nanos);
  if (__builtin_mul_overflow(a.seconds - b.seconds, kSecond, &nanos)) return int_overflow();
  return __builtin_add_overflow(nanos, fraction, &nanos) ? int_overflow() : Value::duration(nanos);
}

/// Go's strconv.Atoi.
std::optional<std::int64_t> number_of(std::string_view text) { return parse_int(text); }

Value not_a_number(std::string_view text) {
  return Value::error("strconv.Atoi: parsing \"" + std::string(text) + "\": invalid syntax");
}

Value fixed_offset(std::string_view zone, std::size_t colon) {
  const auto hours = number_of(zone.substr(0, colon));
  if (!hours) return not_a_number(zone.substr(0, colon));
  const auto minutes = number_of(zone.substr(colon + 1));
  if (!minutes) return not_a_number(zone.substr(colon + 1));
  // Go multiplies nanoseconds, which wraps round for absurd offsets; those are cut here.
  constexpr std::int64_t kMost = 1'000'000;
  if (*hours > kMost || *hours < -kMost || *minutes > kMost || *minutes < -kMost) return timestamp_overflow();
  const std::int64_t offset = *hours * 60 + (zone.starts_with('-') ? -*minutes : *minutes);
  return Value::integer(offset * 60);
}

}  // namespace

std::optional<Timestamp> parse_timestamp(std::string_view text) {
  Reader reader(text);
  const int year = reader.number(4, 4);
  reader.expect('-');
  const int month = reader.number(2, 2);
  reader.expect('-');
  const int day = reader.number(2, 2);
  reader.expect('T');
  const int hour = reader.number(1, 2);
  reader.expect(':');
  const int minute = reader.number(2, 2);
  reader.expect(':');
  const int second = reader.number(2, 2);
  const std::uint32_t nanos = reader.fraction();
  bool valid = true;
  const int offset = offset_of(reader, valid);
  if (!valid || reader.failed() || !reader.at_end()) return std::nullopt;
  if (month < 1 || month > 12 || day < 1 || day > days_in(year, month)) return std::nullopt;
  if (hour > 23 || minute > 59 || second > 59) return std::nullopt;
  const std::int64_t seconds = days_of(year, month, day) * kDay + (hour * 60 + minute) * 60 + second;
  return Timestamp{seconds - offset, nanos, offset};
}

std::string timestamp_text(const Timestamp& time) {
  const CivilTime civil = civil_time(time.seconds, time.offset);
  std::string text = padded(civil.year, 4) + "-" + padded(civil.month, 2) + "-" + padded(civil.day, 2) + "T" +
                     padded(civil.hour, 2) + ":" + padded(civil.minute, 2) + ":" + padded(civil.second, 2);
  if (time.nanos != 0) {
    std::string fraction = padded(time.nanos, 9);
    fraction.erase(fraction.find_last_not_of('0') + 1);
    text += "." + fraction;
  }
  const std::int64_t minutes = time.offset / 60;
  if (minutes == 0) return text + "Z";
  const std::int64_t size = minutes < 0 ? -minutes : minutes;
  return text + (minutes < 0 ? "-" : "+") + padded(size / 60, 2) + ":" + padded(size % 60, 2);
}

std::string duration_text(std::int64_t nanos) {
  const double seconds = static_cast<double>(nanos / kSecond) + static_cast<double>(nanos % kSecond) / 1e9;
  std::array<char, 64> buffer{};
  const char* const end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), seconds, std::chars_format::fixed).ptr;
  return std::string(static_cast<const char*>(buffer.data()), end) + "s";
}

Value add_times(const Value& a, const Value& b) {
  if (a.is(Kind::kTimestamp))
    return b.is(Kind::kDuration) ? add_span(a.as_timestamp(), b.as_duration()) : no_such_overload(b);
  if (b.is(Kind::kTimestamp)) return add_span(b.as_timestamp(), a.as_duration());
  if (!b.is(Kind::kDuration)) return no_such_overload(b);
  std::int64_t sum = 0;
  return __builtin_add_overflow(a.as_duration(), b.as_duration(), &sum) ? int_overflow()
                                                                        : Value::duration(sum);
}

Value subtract_times(const Value& a, const Value& b) {
  if (a.is(Kind::kTimestamp) && b.is(Kind::kTimestamp))
    return subtract_timestamps(a.as_timestamp(), b.as_timestamp());
  if (!b.is(Kind::kDuration)) return no_such_overload(b);
  if (a.is(Kind::kTimestamp)) {
    if (b.as_duration() == std::numeric_limits<std::int64_t>::min()) return int_overflow();
    return add_span(a.as_timestamp(), -b.as_duration());
  }
  std::int64_t difference = 0;
  return __builtin_sub_overflow(a.as_duration(), b.as_duration(), &difference) ? int_overflow()
                                                                               : Value::duration(difference);
}

CivilTime civil_time(std::int64_t seconds, std::int64_t offset) {
  seconds += offset;
  std::int64_t days = seconds / kDay;
  std::int64_t rest = seconds % kDay;
  if (rest < 0) {
    rest += kDay;
    --days;
  }
  CivilTime time;
  time.hour = static_cast<int>(rest / 3600);
  time.minute = static_cast<int>(rest / 60 % 60);
  time.second = static_cast<int>(rest % 60);
  time.weekday = static_cast<int>(((days + 4) % 7 + 7) % 7);
  const std::int64_t shifted = days + 719'468;
  const std::int64_t era = (shifted >= 0 ? shifted : shifted - 146'096) / 146'097;
  const std::int64_t of_era = shifted - era * 146'097;
  const std::int64_t year_of_era = (of_era - of_era / 1460 + of_era / 36'524 - of_era / 146'096) / 365;
  const std::int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t shifted_month = (5 * of_year + 2) / 153;
  time.day = static_cast<int>(of_year - (153 * shifted_month + 2) / 5 + 1);
  time.month = static_cast<int>(shifted_month < 10 ? shifted_month + 3 : shifted_month - 9);
  time.year = year_of_era + era * 400 + (time.month <= 2 ? 1 : 0);
  time.day_of_year = static_cast<int>(days - days_of(time.year, 1, 1) + 1);
  return time;
}

Value zone_offset(std::string_view zone, std::int64_t seconds) {
  if (const std::size_t colon = zone.find(':'); colon != std::string_view::npos)
    return fixed_offset(zone, colon);
  if (zone.empty() || zone == "UTC" || zone == "Local") return Value::integer(0);
  try {  // The standard library throws if the zone, or the machine's zone data, is not there.
    const auto* found = std::chrono::locate_zone(zone);
    return Value::integer(
        found->get_info(std::chrono::sys_seconds(std::chrono::seconds(seconds))).offset.count());
  } catch (const std::runtime_error&) {
    return Value::error("unknown time zone " + std::string(zone));
  }
}

}  // namespace winnow::cel
