// Words for people: suggestions for misspelt names ("did you mean …?"), and words to copy into a shell.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace winnow {

/// The known names that are near `name`, the nearest first, at most three. Near names differ only in case, or
/// by a few letters (insert, delete, replace, swap two), or one contains the other. If one differs only in
/// case, it is the only result. Equally near names stay in the order of `known`.
std::vector<std::string_view> near_names(std::string_view name, std::span<const std::string_view> known);

/// The text ` (did you mean "A" or "B"?)`; empty if no name is near.
std::string did_you_mean(std::string_view name, std::span<const std::string_view> known);

// Words of a command that somebody copies into a shell.

/// The text as a shell takes it for one word: as it is, or in single quotes.
std::string shell_word(std::string_view text);

}  // namespace winnow
