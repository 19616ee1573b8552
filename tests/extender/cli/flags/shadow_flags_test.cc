#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "extender/cli/flags/serve_flags.h"
#include "tests/extender/cli/flags/parse.h"

namespace winnow::test {
namespace {

std::variant<ServeFlags, int> parse_shadow(std::vector<std::string> words, std::string& printed) {
  words.insert(words.begin(), "serve");
  auto parsed = parse_words(std::move(words), printed);
  if (const int* const code = std::get_if<int>(&parsed)) return *code;
  return std::get<CommandLine>(parsed).serve;
}

TEST_CASE("shadow: off unless it is asked for, and its flag goes with it alone") {
  std::string printed;
  CHECK_FALSE(std::get<ServeFlags>(parse_shadow({}, printed)).shadow.shadow);
  const auto on = parse_shadow({"--shadow", "--shadow-schedulers=default-scheduler,x"}, printed);
  REQUIRE_MESSAGE(std::holds_alternative<ServeFlags>(on), printed);
  CHECK(std::get<ServeFlags>(on).shadow.shadow);
  CHECK(std::get<ServeFlags>(on).shadow.schedulers == std::vector<std::string>{"default-scheduler", "x"});
  CHECK(std::holds_alternative<int>(parse_shadow({"--shadow-schedulers=x"}, printed)));
  CHECK_MESSAGE(printed.contains("--shadow-schedulers requires --shadow"), printed);
  CHECK(std::get<int>(parse_shadow({"--help-shadow"}, printed)) == kDone);
  CHECK_MESSAGE(printed.contains("--shadow-schedulers A,B"), printed);
  parse_shadow({"--help"}, printed);
  CHECK(printed.contains("--help-shadow"));
  CHECK_FALSE(printed.contains("--shadow-schedulers"));
}

TEST_CASE("shadow does not go with what writes, nor with a cluster that stands still") {
  const ShadowFlags off, on{.shadow = true};
  CHECK(wrong_shadow_flags(off, false, true, true) == "");
  CHECK(wrong_shadow_flags(on, true, false, false) == "");
  CHECK(wrong_shadow_flags(on, false, false, false) ==
        "--shadow needs a live cluster, and --cluster is not one");
  CHECK(wrong_shadow_flags(on, true, true, false) ==
        "--shadow writes nothing: it does not go with --nominate");
  CHECK(wrong_shadow_flags(on, true, false, true) ==
        "--shadow writes nothing: it does not go with --enable-bind");
}

}  // namespace
}  // namespace winnow::test
