// Times as the API writes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace winnow {

/// Parses "2026-01-31T12:00:00Z", or the same with an offset, as Go's time.Parse does for time.RFC3339.
/// Fractions of a second are dropped.
/// @return seconds since 1970, UTC; nothing for any other text.
std::optional<std::int64_t> parse_rfc3339(std::string_view text);

}  // namespace winnow
