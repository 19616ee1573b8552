// The flags of a command with their values, for people: /flagz.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>

namespace winnow {

/// Each flag of a command that was parsed, without its dashes, and its value. One that was not given has the
/// default that the end of its help tells in brackets, which may be words: "random". Without such it is
/// empty; a switch is "false".
std::map<std::string, std::string> shown_flags(const CLI::App& command);

}  // namespace winnow
