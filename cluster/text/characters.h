// Characters: ASCII classes and case without a locale, UTF-8 boundaries, and texts made safe to display.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace winnow {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_alphanumeric(char c) { return is_digit(c) || is_lower(c) || is_upper(c); }
/// The value of a hexadecimal digit of either case; -1 for any other byte.
constexpr int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}
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

// UTF-8 characters and their boundaries.
//
// Overlong forms, surrogates and values above U+10FFFF are not characters.

/// The replacement for bytes that are no character: U+FFFD.
inline constexpr std::string_view kReplacement = "\xef\xbf\xbd";

/// The length in bytes of the character at text[at]; 0 if there is none. Requires at < text.size().
std::size_t utf8_length(std::string_view text, std::size_t at);

/// The code point of one character. Requires one whole character.
char32_t utf8_code(std::string_view character);

/// The position of the first byte that belongs to no character; npos if the text is UTF-8.
std::size_t find_not_utf8(std::string_view text);

/// The longest prefix with at most `bytes` bytes that does not end within a character.
std::string_view utf8_prefix(std::string_view text, std::size_t bytes);

/// The text; of a longer one that prefix, and "…".
std::string utf8_shortened(std::string_view text, std::size_t bytes);

// Texts of others, made safe to display.

/// Whether a character can end a line, control a terminal, change the direction of text, or be invisible.
/// These are controls, line and paragraph separators, and formatting characters.
bool steers_display(char32_t code);

/// The text in a form that is safe for a terminal. ASCII white space becomes a blank. Characters of
/// steers_display(), and bytes that are not UTF-8, become U+FFFD.
std::string printable(std::string_view text);

/// The longest line of an error, a note or a warning that leaves the program, in bytes, "…" not counted.
inline constexpr std::size_t kMostLineBytes = 3900;
/// The longest part of such a line that a server has said.
inline constexpr std::size_t kMostSaidBytes = 300;

/// The printable() text in at most `most` bytes, and "…" if that is not all. Every line passes through it
/// where it leaves the program, whatever its parts are: an answer's error, a note about a configuration, a
/// line on standard error.
std::string one_line(std::string_view text, std::size_t most = kMostSaidBytes);

}  // namespace winnow
