#include "extender/cli/flags.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <iostream>
#include <sstream>

namespace winnow {
namespace {

/// The parsed line, or the exit code; what is printed on the way goes to `printed`.
std::variant<CommandLine, int> parse(std::vector<std::string> words, std::string& printed) {
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

TEST_CASE("serve, with everything said") {
  std::string printed;
  const auto parsed = parse({"serve",
                             "--cluster",
                             "a.json",
                             "b.yaml",
                             "--cluster",
                             "-",
                             "--config=p.yaml",
                             "--answer",
                             "one",
                             "--score-scale",
                             "mean",
                             "--seed",
                             "18446744073709551615",
                             "--bind-address",
                             "::",
                             "--port",
                             "0",
                             "--v=2",
                             "--feature-gates",
                             "ExactV116=true"},
                            printed);
  REQUIRE(std::holds_alternative<CommandLine>(parsed));
  const CommandLine& line = std::get<CommandLine>(parsed);
  CHECK(line.command == Command::kServe);
  CHECK(line.common.cluster == std::vector<std::string>{"a.json", "b.yaml", "-"});
  CHECK(line.common.config == "p.yaml");
  CHECK(line.common.feature_gates == "ExactV116=true");
  CHECK(line.common.scale == ScoreScale::kMean);
  CHECK(line.common.seed == ~std::uint64_t{0});
  CHECK(line.common.verbosity == 2);
  CHECK(line.serve.answer == AnswerMode::kOne);
  CHECK(line.serve.bind_address == "::");
  CHECK(line.serve.port == 0);
}

TEST_CASE("explain: pods, nodes and files do not run into each other") {
  std::string printed;
  const auto parsed =
      parse({"explain", "default/a", "b", "--nodes", "x,y", "--nodes", "z", "--pods", "p.yaml", "--cluster",
             "c.json", "-o", "json", "--width", "0", "--server", "http://w"},
            printed);
  REQUIRE(std::holds_alternative<CommandLine>(parsed));
  const CommandLine& line = std::get<CommandLine>(parsed);
  CHECK(line.command == Command::kExplain);
  CHECK(line.explain.pods == std::vector<std::string>{"default/a", "b"});
  CHECK(line.explain.nodes == std::vector<std::string>{"x", "y", "z"});
  CHECK(line.explain.pod_files == std::vector<std::string>{"p.yaml"});
  CHECK(line.explain.json);
  CHECK(line.explain.server == "http://w");
  CHECK(line.explain.width == 0);
  CHECK_FALSE(line.common.seed);
  CHECK(line.common.scale == ScoreScale::kBest);
}

TEST_CASE("what is refused, and that it is named") {
  struct Row {
    const char* sentence;
    std::vector<std::string> words;
    const char* says;
  };
  const Row rows[] = {
      {"no command", {}, "subcommand"},
      {"two commands", {"serve", "explain"}, "explain"},
      {"a port over the last", {"serve", "--port", "65536"}, "--port"},
      {"a port below the first", {"serve", "--port", "-1"}, "--port"},
      {"a port that is no number", {"serve", "--port", "http"}, "--port"},
      {"an answer that is none", {"serve", "--answer", "worst"}, "--answer"},
      {"a negative seed", {"serve", "--seed", "-1"}, "--seed"},
      {"a seed that is too large", {"serve", "--seed", "18446744073709551616"}, "--seed"},
      {"a verbosity that is none", {"serve", "--v", "loud"}, "--v"},
      {"a pod of serve's", {"serve", "default/web"}, "default/web"},
      {"explain's flag of serve's", {"serve", "--nodes", "a"}, "--nodes"},
      {"serve's flag of explain's", {"explain", "--answer", "best"}, "--answer"},
      {"a flag without its value", {"serve", "--config"}, "--config"},
      {"a flag misspelt", {"serve", "--clutser", "x"}, "did you mean \"--cluster\""},
      {"a flag misspelt, with its value", {"explain", "--node=a"}, "did you mean \"--nodes\""},
      {"a command misspelt", {"expain"}, "did you mean \"explain\""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    std::string printed;
    const auto parsed = parse(row.words, printed);
    REQUIRE(std::holds_alternative<int>(parsed));
    CHECK(std::get<int>(parsed) == kBadInput);
    CHECK_MESSAGE(printed.contains(row.says), printed);
  }
}

TEST_CASE("help fits a screen and shows an example") {
  for (const char* command : {"serve", "explain"}) {
    CAPTURE(command);
    std::string printed;
    const auto parsed = parse({command, "--help"}, printed);
    REQUIRE(std::holds_alternative<int>(parsed));
    CHECK(std::get<int>(parsed) == kDone);
    CHECK(printed.contains(std::string("Example: winnow ") + command));
    CHECK(std::ranges::count(printed, '\n') <= 40);
    std::istringstream lines(printed);
    for (std::string line; std::getline(lines, line);) CHECK_MESSAGE(line.size() <= 100, line);
  }
}

}  // namespace
}  // namespace winnow
