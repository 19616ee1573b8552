// Texts that others wrote, made fit to be shown to people.
#pragma once

#include <string>
#include <string_view>

namespace winnow {

/// Whether a character may end a line, steer a terminal, turn the direction of text, or be there unseen:
/// controls, line and paragraph separators, formatting characters.
bool steers_display(char32_t code);

/// `text` as it may be sent to a terminal: white space of ASCII becomes a blank; characters that steer the
/// display, and bytes that are no UTF-8, become U+FFFD.
std::string printable(std::string_view text);

/// The beginning of `text`, at most 300 bytes and "…", fit for one line of a log, whose writer escapes the
/// rest: control characters of ASCII become blanks.
std::string one_line(std::string_view text);

}  // namespace winnow
