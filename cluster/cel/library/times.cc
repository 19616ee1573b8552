// The parts of timestamps and durations. Upstream: cel-go v0.29.2 common/stdlib/standard.go.
#include "cluster/cel/times.h"

#include <cstdint>

#include "cluster/cel/library/libraries.h"

namespace winnow::cel {
namespace {

using Part = std::int64_t (*)(const CivilTime& time, const Timestamp& stamp);

template <Part part>
Value of_utc(Arguments arguments) {
  const Timestamp stamp = arguments[0].as_timestamp();
  return Value::integer(part(civil_time(stamp.seconds, 0), stamp));
}
template <Part part>
Value of_zone(Arguments arguments) {
  const Timestamp stamp = arguments[0].as_timestamp();
  const Value offset = zone_offset(arguments[1].text(), stamp.seconds);
  if (offset.is_error()) return offset;
  return Value::integer(part(civil_time(stamp.seconds, offset.as_int()), stamp));
}

/// Go divides as doubles, which can round up to the next whole number.
template <std::int64_t unit>
Value of_duration(Arguments arguments) {
  const std::int64_t nanos = arguments[0].as_duration();
  const double count =
      static_cast<double>(nanos / unit) + static_cast<double>(nanos % unit) / static_cast<double>(unit);
  return Value::integer(static_cast<std::int64_t>(count));
}
Value milliseconds_of_duration(Arguments arguments) {
  return Value::integer(arguments[0].as_duration() / 1'000'000);
}

template <Part part>
std::vector<Overload> overloads(const std::string& id, std::string_view with_zone = "_with_tz") {
  const Type stamp = Type::timestamp();
  return {member(id, {stamp}, Type::integer(), of_utc<part>),
          member(id + std::string(with_zone), {stamp, Type::string()}, Type::integer(), of_zone<part>)};
}

std::vector<Overload> with_duration(std::vector<Overload> overloads, std::string id, Implementation call) {
  overloads.push_back(member(std::move(id), {Type::duration()}, Type::integer(), call));
  return overloads;
}

std::int64_t year(const CivilTime& time, const Timestamp&) { return time.year; }
std::int64_t month(const CivilTime& time, const Timestamp&) { return time.month - 1; }
std::int64_t day_of_year(const CivilTime& time, const Timestamp&) { return time.day_of_year - 1; }
std::int64_t day_of_month(const CivilTime& time, const Timestamp&) { return time.day - 1; }
std::int64_t date(const CivilTime& time, const Timestamp&) { return time.day; }
std::int64_t day_of_week(const CivilTime& time, const Timestamp&) { return time.weekday; }
std::int64_t hours(const CivilTime& time, const Timestamp&) { return time.hour; }
std::int64_t minutes(const CivilTime& time, const Timestamp&) { return time.minute; }
std::int64_t seconds(const CivilTime& time, const Timestamp&) { return time.second; }
std::int64_t milliseconds(const CivilTime&, const Timestamp& stamp) { return stamp.nanos / 1'000'000; }

}  // namespace

void add_times(Environment& environment) {
  environment.add_function({"getFullYear", overloads<year>("timestamp_to_year")});
  environment.add_function({"getMonth", overloads<month>("timestamp_to_month")});
  environment.add_function({"getDayOfYear", overloads<day_of_year>("timestamp_to_day_of_year")});
  environment.add_function({"getDayOfMonth", overloads<day_of_month>("timestamp_to_day_of_month")});
  environment.add_function({"getDate", overloads<date>("timestamp_to_day_of_month_1_based")});
  environment.add_function({"getDayOfWeek", overloads<day_of_week>("timestamp_to_day_of_week")});
  environment.add_function({"getHours", with_duration(overloads<hours>("timestamp_to_hours"),
                                                      "duration_to_hours", of_duration<3600 * kSecond>)});
  environment.add_function({"getMinutes", with_duration(overloads<minutes>("timestamp_to_minutes"),
                                                        "duration_to_minutes", of_duration<60 * kSecond>)});
  environment.add_function({"getSeconds", with_duration(overloads<seconds>("timestamp_to_seconds", "_tz"),
                                                        "duration_to_seconds", of_duration<kSecond>)});
  environment.add_function(
      {"getMilliseconds", with_duration(overloads<milliseconds>("timestamp_to_milliseconds"),
                                        "duration_to_milliseconds", milliseconds_of_duration)});
}

}  // namespace winnow::cel
