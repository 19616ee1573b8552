// -o of the commands that print a table.
#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tests/extender/cli/flags/parse.h"

namespace winnow::test {

TEST_CASE("-o wide is a table without a limit, unless --width sets one") {
  struct Row {
    std::string sentence;
    std::vector<std::string> words;
    bool json;
    std::optional<int> width;
  };
  const Row rows[] = {
      {"nothing", {}, false, {}},
      {"table", {"-o", "table"}, false, {}},
      {"json", {"-o", "json"}, true, {}},
      {"wide", {"-o", "wide"}, false, 0},
      {"wide, with a width before", {"--width", "90", "-o", "wide"}, false, 90},
      {"wide, with a width behind", {"-o", "wide", "--width", "90"}, false, 90},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    for (const char* const command : {"explain", "simulate"}) {
      CAPTURE(command);
      std::vector<std::string> words{command, "--cluster", "c.json"};
      words.insert(words.end(), row.words.begin(), row.words.end());
      std::string printed;
      const auto parsed = parse_words(words, printed);
      REQUIRE_MESSAGE(std::holds_alternative<CommandLine>(parsed), printed);
      const CommandLine& line = std::get<CommandLine>(parsed);
      const bool explains = line.command == Command::kExplain;
      CHECK((explains ? line.explain.json : line.simulate.json) == row.json);
      CHECK((explains ? line.explain.width : line.simulate.width) == row.width);
    }
  }
}

}  // namespace winnow::test
