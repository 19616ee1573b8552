// The commands of `winnow` with their flags, as data: for completion.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace winnow {

struct FlagShape {
  std::vector<std::string> names;  ///< With their dashes: "-o", "--output".
  bool takes_value = false;
  bool takes_file = false;           ///< The value is the name of a file or folder.
  std::vector<std::string> choices;  ///< The words that the value may be; empty: others.
};

struct CommandShape {
  std::string name;
  std::vector<FlagShape> flags;  ///< Also those that its help shows on pages of their own.
  bool takes_files = false;      ///< What stands beside flags are names of files.
};

/// The shape of a command.
CommandShape shape_of(const CLI::App& command);
/// The commands of `winnow`, in the order of its help.
std::vector<CommandShape> winnow_commands();

}  // namespace winnow
