// UTF-8 characters and their boundaries.
//
// Overlong forms, surrogates and values above U+10FFFF are not characters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace winnow {

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

}  // namespace winnow
