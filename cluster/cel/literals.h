// The values of literals. Upstream: cel-go v0.29.2 parser/unescape.go, and Go's strconv.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace winnow::cel {

/// What a string literal means: "a\tb", r'\d+', """…""".
/// @param is_bytes  whether \x and octal escapes are bytes instead of characters; "b" is cut off already.
/// @return the text, or what is wrong.
std::expected<std::string, std::string> unquote(std::string_view literal, bool is_bytes);

/// Go's strconv.ParseInt: a sign and digits, and nothing else. @param base  10 or 16.
std::optional<std::int64_t> parse_int(std::string_view text, int base = 10);
/// Go's strconv.ParseUint: digits and nothing else.
std::optional<std::uint64_t> parse_uint(std::string_view text, int base = 10);
/// Go's strconv.ParseFloat with 64 bits: decimal and hexadecimal numbers, underscores with a base prefix
/// only, "inf", "infinity" and "nan". Nothing if the number is too large.
std::optional<double> parse_double(std::string_view text);

/// Appends a code point as UTF-8.
void append_character(std::string& text, std::uint32_t character);

}  // namespace winnow::cel
