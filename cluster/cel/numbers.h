// Numbers as Go prints them, and characters of UTF-8 as Go reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace winnow::cel {

/// Go's %g with the shortest digits: "1.5", "1e+06", "NaN", "+Inf".
std::string general_text(double number);

/// A character at the start of a text.
struct Character {
  /// U+FFFD if the bytes are no UTF-8.
  std::uint32_t value = 0;
  /// Its bytes; 1 if it is not valid.
  std::size_t size = 1;
  bool valid = false;
};
/// @param text  not empty.
Character next_character(std::string_view text);
/// The characters of a text, as Go's []rune(text).
std::vector<std::uint32_t> characters_of(std::string_view text);
/// The characters as UTF-8.
std::string text_of(const std::uint32_t* first, const std::uint32_t* last);

}  // namespace winnow::cel
