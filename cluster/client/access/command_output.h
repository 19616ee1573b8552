// A command that is run to its end, for what it prints.
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <string>
#include <vector>

namespace winnow::live {

/// A command and its limits. Its standard error is ours.
struct Command {
  std::string program;                   ///< The path of its file.
  std::vector<std::string> arguments;    ///< With its own name as the first.
  std::vector<std::string> environment;  ///< "NAME=VALUE", complete.
  bool takes_input = false;              ///< Its standard input is ours; otherwise it is empty.
  std::size_t max_bytes = 0;             ///< The most that it may print.
  std::chrono::milliseconds limit{};     ///< The longest that it may take.
};

/// Runs the command and waits for its end. No other file of ours is open in it. One that goes beyond a limit
/// is killed. So is what it has started itself, unless that has left its process group, or the command takes
/// input. Any thread.
/// @return what it printed, or how it failed, to stand behind its name: "ended with exit code 1".
std::expected<std::string, std::string> output_of(const Command& command);

/// The file of a command: of one with a slash that path, of any other the first in the absolute folders of
/// PATH that can be run. Upstream: LookPath of Go's os/exec. "": there is none.
std::string program_file(const std::string& command);

}  // namespace winnow::live
