#include <doctest/doctest.h>

#include <variant>

#include "extender/cli/flags/why_flags.h"
#include "tests/extender/cli/flags/parse.h"

namespace winnow::test {
namespace {

/// All flags of a command line of serve.
std::map<std::string, std::string> shown(const std::vector<std::string>& words) {
  std::string printed;
  const auto parsed = parse_words(words, printed);
  REQUIRE_MESSAGE(std::holds_alternative<CommandLine>(parsed), printed);
  return std::get<CommandLine>(parsed).serve.shown;
}

TEST_CASE("each flag is shown with its value, or with the default that its help tells") {
  const auto flags = shown({"serve", "--cluster", "a.json", "b.json", "--seed=7", "-v", "3", "--enable-bind",
                            "--nominate", "--nominate-schedulers=a,b", "--answer", "best"});
  struct Row {
    const char* sentence;
    const char* flag;
    const char* value;
  };
  const Row rows[] = {
      {"several values are put together", "cluster", "a.json,b.json"},
      {"a number is as it was given", "seed", "7"},
      {"a flag with a short name has its long one", "v", "3"},
      {"a switch that was given is true", "enable-bind", "true"},
      {"a switch that was not given is false", "serve-stale", "false"},
      {"a switch that is on unless it is given is true", "leader-elect", "true"},
      {"a word is as it was given", "answer", "best"},
      {"a list is as it was given", "nominate-schedulers", "a,b"},
      {"a default is in numbers", "port", "10290"},
      {"a default is in Go's notation", "max-staleness", "60s"},
      {"a default is in words", "config", "default"},
      {"a default of a page of its own is there too", "tls-min-version", "VersionTLS12"},
      {"a flag without a default is empty", "kubeconfig", ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    REQUIRE(flags.contains(row.flag));
    CHECK(flags.at(row.flag) == row.value);
  }
}

TEST_CASE("a page of help is no flag") {
  for (const auto& [name, value] : shown({"serve"})) CHECK_FALSE(name.starts_with("help"));
}

}  // namespace
}  // namespace winnow::test
