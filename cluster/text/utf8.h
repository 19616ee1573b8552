// UTF-8: where a character begins and ends.
//
// A character is well formed: overlong forms, surrogates and everything beyond U+10FFFF are none.
#pragma once

#include <cstddef>
#include <string_view>

namespace winnow {

/// What stands for bytes that are no character: U+FFFD.
inline constexpr std::string_view kReplacement = "\xef\xbf\xbd";

/// The length in bytes of the character that starts at text[at]; 0 if none does. Requires at < text.size().
std::size_t utf8_length(std::string_view text, std::size_t at);

/// The code point of one character. Requires that `character` is one, whole.
char32_t utf8_code(std::string_view character);

/// Where the first byte stands that belongs to no character; npos in a text that is UTF-8.
std::size_t find_not_utf8(std::string_view text);

/// The longest beginning of `text` that has at most `bytes` bytes and does not end within a character.
std::string_view utf8_prefix(std::string_view text, std::size_t bytes);

}  // namespace winnow
