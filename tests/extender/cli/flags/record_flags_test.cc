// The flags of serve --record, and of replay.
#include <doctest/doctest.h>

#include "extender/cli/flags/flags.h"
#include "tests/extender/cli/flags/parse.h"

namespace winnow::test {

TEST_CASE("how much a recording may take") {
  struct RecordRow {
    const char* sentence;
    std::vector<std::string> words;
    std::uint64_t bytes;  ///< 0: it is refused.
  };
  const RecordRow rows[] = {
      {"a gibibyte unless said otherwise", {"serve", "--record=r"}, 1ULL << 30},
      {"as Kubernetes writes sizes", {"serve", "--record=r", "--record-size=1500Mi"}, 1500ULL << 20},
      {"the least", {"serve", "--record=r", "--record-size=1Mi"}, 1ULL << 20},
      {"too little", {"serve", "--record=r", "--record-size=1023Ki"}, 0},
      {"no size", {"serve", "--record=r", "--record-size=much"}, 0},
  };
  for (const RecordRow& row : rows) {
    CAPTURE(row.sentence);
    std::string printed;
    const auto parsed = parse_words(row.words, printed);
    CHECK(std::holds_alternative<CommandLine>(parsed) == (row.bytes > 0));
    if (row.bytes > 0)
      CHECK(std::get<CommandLine>(parsed).serve.record.bytes == row.bytes);
    else
      CHECK(printed.contains("is no size from 1Mi on, such as 1Gi"));
  }
}

TEST_CASE("a size without a recording is a mistake, whatever the size") {
  for (const char* const size : {"--record-size=1Gi", "--record-size=2Gi"}) {
    CAPTURE(size);
    std::string printed;
    CHECK(std::holds_alternative<int>(parse_words({"serve", size}, printed)));
    CHECK_MESSAGE(printed.contains("--record-size requires --record"), printed);
  }
}

TEST_CASE("a shadow is not recorded") {
  CommonFlags common;
  common.client.kubeconfig = "k";
  ServeFlags flags;
  flags.record.dir = "r";
  CHECK(wrong_serve_flags(common, flags) == "");
  flags.shadow.shadow = true;
  CHECK(wrong_serve_flags(common, flags) ==
        "--shadow answers no call, and --record keeps answers: they do not go together");
  flags.record.dir = "";
  CHECK(wrong_serve_flags(common, flags) == "");
}

TEST_CASE("replay: a recording, and perhaps where it goes without names") {
  std::string printed;
  const auto parsed = parse_words({"replay", "r", "--anonymize", "a", "-o", "json"}, printed);
  REQUIRE_MESSAGE(std::holds_alternative<CommandLine>(parsed), printed);
  const CommandLine& line = std::get<CommandLine>(parsed);
  CHECK(line.command == Command::kReplay);
  CHECK(line.replay.recording == "r");
  CHECK(line.replay.anonymize == "a");
  CHECK(line.replay.json);
  CHECK(std::holds_alternative<int>(parse_words({"replay"}, printed)));
}

}  // namespace winnow::test
