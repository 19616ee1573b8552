// Characters: what is one, and how many columns they take on a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace winnow {

/// The length in bytes of the UTF-8 character that starts at text[at]; 0 if none does. Overlong forms,
/// surrogates and everything beyond U+10FFFF are no characters. Requires at < text.size().
std::size_t utf8_length(std::string_view text, std::size_t at);

/// `text` as it may be sent to a terminal: white space becomes a blank, and whatever could steer the terminal
/// (control characters, overrides of the writing direction) or is no UTF-8 becomes U+FFFD.
std::string printable(std::string_view text);

/// The columns that `text` takes on a terminal: its code points. Requires valid UTF-8.
std::size_t columns(std::string_view text);

/// `text` in at most `limit` columns, with an ellipsis for what is cut from its middle. Requires limit >= 3.
std::string shorten_middle(std::string_view text, std::size_t limit);

/// The bytes that the first `count` characters of `text` take; all of them if it has fewer.
std::size_t prefix_bytes(std::string_view text, std::size_t count);

}  // namespace winnow
