// The command line, parsed, with what is printed on the way.
#pragma once

#include <iostream>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "extender/cli/flags/flags.h"

namespace winnow::test {

/// The line of `winnow WORDS…`, or the exit code; what is printed goes to `printed`.
inline std::variant<CommandLine, int> parse_words(std::vector<std::string> words, std::string& printed) {
  words.insert(words.begin(), "winnow");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  std::ostringstream text;
  std::streambuf* const out = std::cout.rdbuf(text.rdbuf());
  std::streambuf* const err = std::cerr.rdbuf(text.rdbuf());
  auto parsed = parse_flags(static_cast<int>(argv.size()), argv.data());
  std::cout.rdbuf(out);
  std::cerr.rdbuf(err);
  printed = text.str();
  return parsed;
}

}  // namespace winnow::test
