// Go's notations: durations, quoted text, and times as the API writes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace winnow {

/// Go's time.ParseDuration: "1h15m30.918s", "-1.5h", "0". @return nanoseconds; nothing if Go gives an error.
std::optional<std::int64_t> parse_go_duration(std::string_view text);

// Quoted text as Go prints it.

/// The longest start of a text that is quoted. The longest names that the API has, those of labels, fit.
inline constexpr std::size_t kMostQuoted = 317;

/// The text in quotes as Go's `%q` prints it; of a longer one the start, and "…" behind the quotes. Every
/// text of others that stands in an error, a note or a warning is quoted by it.
/// Bytes that are not UTF-8 become `\xNN`.
/// What steers a display (characters.h) is escaped.
/// Other characters that Go holds to be unprintable are unchanged.
std::string go_quote(std::string_view text, std::size_t most = kMostQuoted);

// Times as the API writes them.

/// Parses "2026-01-31T12:00:00Z", or the same with an offset, as Go's time.Parse does for time.RFC3339.
/// Fractions of a second are dropped.
/// @return seconds since 1970, UTC; nothing for any other text.
std::optional<std::int64_t> parse_rfc3339(std::string_view text);

}  // namespace winnow
