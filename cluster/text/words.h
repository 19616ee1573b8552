// Words for people: suggestions for misspelt names ("did you mean …?"), lists, and words to copy into a
// shell.
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
/// The same text of names that were found to be near.
std::string did_you_mean_one_of(std::span<const std::string_view> names);

// Lists of words.

/// The texts with `between` between them. They may be empty.
std::string joined(std::span<const std::string> texts, std::string_view between = ", ");
/// "a, b and c"
std::string joined_and(std::span<const std::string> texts);

// Words of a command that somebody copies into a shell.

/// The text as a shell takes it for one word: as it is, or in single quotes.
std::string shell_word(std::string_view text);

}  // namespace winnow
