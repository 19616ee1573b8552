// A string as JSON writes it, and back.
#pragma once

#include <string>
#include <string_view>

namespace winnow {

/// Appends text as a JSON string with quotes; bytes that are not UTF-8 become U+FFFD.
void append_quoted(std::string& out, std::string_view text);

/// The text of a raw string (quotes included); nothing where it is not valid JSON.
bool unescape(std::string_view raw, std::string& text);

}  // namespace winnow
