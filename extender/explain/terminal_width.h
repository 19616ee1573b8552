// The width of text on a terminal, and text cut to a width.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace winnow {

/// The number of columns that `text` takes: its code points. `text` must be valid UTF-8.
std::size_t columns(std::string_view text);

/// `text` in at most `limit` columns, with an ellipsis in place of its middle if it is longer. `limit` must
/// be at least 3.
std::string shorten_middle(std::string_view text, std::size_t limit);

/// The number of bytes of the first `count` characters; all bytes if there are fewer characters.
std::size_t prefix_bytes(std::string_view text, std::size_t count);

}  // namespace winnow
