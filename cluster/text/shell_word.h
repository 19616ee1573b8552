// Words of a command that somebody copies into a shell.
#pragma once

#include <string>
#include <string_view>

namespace winnow {

/// The text as a shell takes it for one word: as it is, or in single quotes.
std::string shell_word(std::string_view text);

}  // namespace winnow
