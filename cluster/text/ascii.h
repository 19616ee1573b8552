// ASCII functions that ignore the locale: classes of characters, lower case, comparison without case.
#pragma once

#include <algorithm>
#include <string_view>

namespace winnow {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_alphanumeric(char c) { return is_digit(c) || is_lower(c) || is_upper(c); }
/// Whether the byte is an ASCII control character. Bytes of multi-byte characters are not.
constexpr bool is_control(char c) { return (c >= '\0' && c < ' ') || c == '\x7f'; }

/// The lower-case form of an ASCII letter; any other byte unchanged.
constexpr char lower(char c) { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; }

/// Whether the texts are equal, or differ only in the case of ASCII letters.
constexpr bool equal_but_for_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

/// White space as isspace() has it in the C locale.
inline constexpr std::string_view kWhiteSpace = " \t\n\r\v\f";

/// `text` without leading and trailing bytes of `blanks`.
constexpr std::string_view trim(std::string_view text, std::string_view blanks = kWhiteSpace) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

}  // namespace winnow
