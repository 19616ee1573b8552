// What is said of words of a command line that nothing takes.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace winnow {

/// The long names of a command's flags, with "--": also those that its help shows on pages of their own.
std::vector<std::string> flag_names(const CLI::App& command);
/// The names of an app's commands.
std::vector<std::string> command_names(const CLI::App& app);

/// The error for words that were left over, after parsing or at an error: the first that looks like a flag,
/// else the first; with near names of the command's flags, or of the commands. "": none was left over.
/// @param flags_only  words that are no flags are no error yet: a flag before them may be to blame.
std::string unknown_words(const CLI::App& app, bool flags_only = false);
/// The error for a command that there is none of.
std::string unknown_command(const CLI::App& app, const std::string& word);

}  // namespace winnow
