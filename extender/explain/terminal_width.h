// How many columns text takes on a terminal, and text cut to some columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace winnow {

/// The columns that `text` takes on a terminal: its code points. Requires valid UTF-8.
std::size_t columns(std::string_view text);

/// `text` in at most `limit` columns, with an ellipsis for what is cut from its middle. Requires limit >= 3.
std::string shorten_middle(std::string_view text, std::size_t limit);

/// The bytes that the first `count` characters of `text` take; all of them if it has fewer.
std::size_t prefix_bytes(std::string_view text, std::size_t count);

}  // namespace winnow
