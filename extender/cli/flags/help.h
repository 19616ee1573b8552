// Help as terminals of 80 columns show it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace winnow {

/// The widest line of a help.
inline constexpr std::size_t kHelpColumns = 80;

/// Breaks longer lines at blanks, and has one blank line where there are several. What goes on stands under
/// the description of a flag, else two blanks in.
std::string fold_help(std::string_view help);

}  // namespace winnow
