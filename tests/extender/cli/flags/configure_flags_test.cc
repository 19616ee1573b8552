#include <doctest/doctest.h>

#include "extender/cli/flags/check_flags.h"
#include "tests/extender/cli/flags/parse.h"

namespace winnow::test {
namespace {

TEST_CASE("configure") {
  std::string printed;
  const auto parsed =
      parse_words({"configure", "--scheduler-config", "f.yaml", "--way=best", "--for", "v1.38.2",
                   "--config=r.yaml", "--url-prefix=http://h:1", "-o", "rules", "--output-dir=d"},
                  printed);
  REQUIRE_MESSAGE(std::holds_alternative<CommandLine>(parsed), printed);
  const CommandLine& line = std::get<CommandLine>(parsed);
  CHECK(line.command == Command::kConfigure);
  CHECK(line.configure.scheduler_config == "f.yaml");
  CHECK(line.configure.way == DeploymentMode::kBest);
  CHECK(line.configure.release == 38);
  CHECK(line.configure.url_prefix == "http://h:1");
  CHECK(line.configure.shows == ConfigureShows::kRules);
  CHECK(line.configure.output_dir == "d");
  CHECK(line.common.config == "r.yaml");
}

TEST_CASE("configure needs a file and a way, and knows the releases that it can serve") {
  std::string printed;
  CHECK(std::holds_alternative<int>(parse_words({"configure", "--way=best"}, printed)));
  CHECK(printed.contains("--scheduler-config"));
  CHECK(std::holds_alternative<int>(parse_words({"configure", "--scheduler-config=f"}, printed)));
  CHECK(printed.contains("--way"));
  CHECK(
      std::holds_alternative<int>(parse_words({"configure", "--scheduler-config=f", "--way=all"}, printed)));
  CHECK(printed.contains("--way"));
  for (const char* release :
       {"--for=1.24", "--for=37", "--for=1.x", "--for=2.37", "--for=1.37x", "--for=1.999"}) {
    const auto parsed = parse_words({"configure", "--scheduler-config=f", "--way=best", release}, printed);
    CAPTURE(release);
    REQUIRE(std::holds_alternative<int>(parsed));
    CHECK(std::get<int>(parsed) == kBadInput);
    CHECK(printed.contains("is no release from 1.25 on, such as 1.37"));
  }
}

}  // namespace
}  // namespace winnow::test
