// Strings in JSON notation.
#pragma once

#include <string>
#include <string_view>

namespace winnow {

/// Appends the text as a JSON string with quotes. Bytes that are not UTF-8 become U+FFFD.
void append_quoted(std::string& out, std::string_view text);

/// Appends one_line() of a message, such as an answer's error, as a JSON string with quotes.
void append_quoted_line(std::string& out, std::string_view text);

/// Decodes a raw string with its quotes into `text`. @return false if it is not valid JSON.
bool unescape(std::string_view raw, std::string& text);

}  // namespace winnow
