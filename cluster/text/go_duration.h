// Durations in Go's notation.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace winnow {

/// Go's time.ParseDuration: "1h15m30.918s", "-1.5h", "0". @return nanoseconds; nothing if Go gives an error.
std::optional<std::int64_t> parse_go_duration(std::string_view text);

}  // namespace winnow
