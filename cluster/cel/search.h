// Texts in texts, in linear time.
#pragma once

#include <cstddef>
#include <string_view>

namespace winnow::cel {

/// The place of the first part at or behind `from`; npos if there is none.
std::size_t find_text(std::string_view text, std::string_view part, std::size_t from = 0);
/// The place of the last part; npos if there is none.
std::size_t find_last_text(std::string_view text, std::string_view part);

}  // namespace winnow::cel
