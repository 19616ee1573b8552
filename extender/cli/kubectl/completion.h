// Completion of `kubectl winnow` in shells.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace winnow {

/// The completion script of bash, zsh or fish for the name kubectl-winnow; "" for another shell.
std::string_view completion_script(std::string_view shell);

/// What may stand at the cursor, a line each, and a last line that forbids the names of files. This is
/// cobra's protocol, which kubectl speaks with its plugins: spf13/cobra completions.go v1.10.
/// @param words  those before the cursor, without the program; the last one is unfinished, and may be "".
std::string complete(const std::vector<std::string>& words);

}  // namespace winnow
