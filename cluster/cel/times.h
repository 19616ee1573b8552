// Timestamps and durations: texts, sums and parts, as Go computes them.
// Upstream: Go 1.26 time/format.go and time/format_rfc3339.go; cel-go v0.29.2 common/types/timestamp.go.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cluster/cel/value.h"

namespace winnow::cel {

/// The years that a timestamp may have are 1 to 9999.
inline constexpr std::int64_t kFirstSecond = -62'135'596'800;
inline constexpr std::int64_t kLastSecond = 253'402'300'799;
inline constexpr std::int64_t kSecond = 1'000'000'000;

/// Go's time.Parse for time.RFC3339: fractions of a second may follow a dot or a comma, and the hour may have
/// one digit. @return nothing if Go gives an error; the range of years is not checked.
std::optional<Timestamp> parse_timestamp(std::string_view text);
/// "2026-01-31T12:00:00.5+02:00".
std::string timestamp_text(const Timestamp& time);
/// "5400.5s".
std::string duration_text(std::int64_t nanos);

// What + and - do. The first is a timestamp or a duration.
Value add_times(const Value& a, const Value& b);
Value subtract_times(const Value& a, const Value& b);

/// A point in time in a zone.
struct CivilTime {
  std::int64_t year = 0;
  int month = 0;        // 1 to 12
  int day = 0;          // 1 to 31
  int day_of_year = 0;  // 1 to 366
  int weekday = 0;      // 0 is Sunday.
  int hour = 0;
  int minute = 0;
  int second = 0;
};
/// @param offset  seconds east of UTC.
CivilTime civil_time(std::int64_t seconds, std::int64_t offset);

/// The offset in seconds east of UTC of a zone at the time: "-08:00", "02:30", "UTC", "Europe/Berlin", "".
/// Zones by name need the zone data of the machine. @return an error as upstream words it if there is none.
Value zone_offset(std::string_view zone, std::int64_t seconds);

}  // namespace winnow::cel
