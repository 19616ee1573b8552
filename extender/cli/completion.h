// Completion in shells, of `winnow` and of kubectl's plugin.
//
// A script calls `PROGRAM __complete WORDS…`, and gets what may stand at the cursor, a line each, and a last
// line
// ":0" where names of files may stand there, too, or ":4" where not. This is cobra's protocol, which kubectl
// speaks with its plugins: spf13/cobra completions.go v1.10.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace winnow {

/// The last line where no names of files may stand.
inline constexpr std::string_view kNoFileNames = ":4\n";
/// The last line where they may.
inline constexpr std::string_view kFileNames = ":0\n";

/// The completion script of bash, zsh or fish for a program; "" for another shell.
std::string completion_script(std::string_view shell, std::string_view program);

/// The answer of `winnow __complete`, from the commands' own tables of flags.
/// @param words  those before the cursor, without the program; the last one is unfinished, and may be "".
std::string complete_winnow(const std::vector<std::string>& words);

}  // namespace winnow
