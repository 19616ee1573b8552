// The commands that print an answer, run in the test's process.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <iostream>
#include <sstream>
#include <streambuf>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "extender/cli/commands.h"
#include "extender/cli/flags/flags.h"
#include "extender/service/log/log.h"

namespace winnow::test {

struct Outcome {
  int code = -1;
  std::string out, err;
  std::vector<std::string> lines;  ///< Of out.
};

/// What a stream is given while this lives.
class Captured {
 public:
  explicit Captured(std::ostream& stream) : stream_(stream), before_(stream.rdbuf(buffer_.rdbuf())) {}
  ~Captured() {
    stream_.rdbuf(before_);
    stream_.clear();
  }
  std::string text() const { return buffer_.str(); }

 private:
  std::ostream& stream_;
  std::ostringstream buffer_;
  std::streambuf* before_;
};

/// `winnow COMMAND WORDS…` in this process: explain, eval, simulate, compare or replay.
inline Outcome winnow(std::vector<std::string> words) {
  words.insert(words.begin(), "winnow");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  Outcome outcome;
  {
    const Captured out(std::cout), err(std::cerr);
    const auto parsed = parse_flags(static_cast<int>(argv.size()), argv.data());
    if (const int* code = std::get_if<int>(&parsed)) {
      outcome.code = *code;
    } else {
      const CommandLine& line = std::get<CommandLine>(parsed);
      switch (line.command) {
        case Command::kExplain:
          outcome.code = explain_pods(line.common, line.explain);
          break;
        case Command::kEval:
          outcome.code = try_on_nodes(line.common, line.eval);
          break;
        case Command::kSimulate:
          outcome.code = simulate(line.common, line.simulate);
          break;
        case Command::kCompare:
          outcome.code = compare(line.common, line.compare);
          break;
        case Command::kReplay:
          outcome.code = replay_recording(line.replay);
          break;
        default:
          REQUIRE_MESSAGE(false, "a command that is run here");
      }
    }
    log_init(0);  // A command may have silenced the log of its process.
    outcome.out = out.text();
    // What is told about the rules is not an error.
    std::istringstream lines(err.text());
    for (std::string line; std::getline(lines, line);)
      if (!line.starts_with("note: ")) outcome.err += line + '\n';
  }
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) outcome.lines.push_back(line);
  return outcome;
}

/// The same by the classic rules, where the words name no others.
inline Outcome classic_winnow(std::vector<std::string> words) {
  if (!std::ranges::contains(words, "--config")) words.insert(words.end(), {"--config", "classic"});
  return winnow(std::move(words));
}

}  // namespace winnow::test
