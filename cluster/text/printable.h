// Texts of others, made safe to display.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace winnow {

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
