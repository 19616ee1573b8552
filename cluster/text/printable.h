// Texts of others, made safe to display.
#pragma once

#include <string>
#include <string_view>

namespace winnow {

/// Whether a character can end a line, control a terminal, change the direction of text, or be invisible.
/// These are controls, line and paragraph separators, and formatting characters.
bool steers_display(char32_t code);

/// The text in a form that is safe for a terminal. ASCII white space becomes a blank. Characters of
/// steers_display(), and bytes that are not UTF-8, become U+FFFD.
std::string printable(std::string_view text);

/// The start of the text for one line of a log: at most 300 bytes and "…". ASCII control characters become
/// blanks. The log's writer escapes the rest.
std::string one_line(std::string_view text);

}  // namespace winnow
