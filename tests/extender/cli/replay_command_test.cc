// winnow serve --record and winnow replay, as a person sees them.
#include <doctest/doctest.h>

#include "tests/cluster/client/transport/temp_folder.h"
#include "tests/extender/cli/run_command.h"
#include "tests/extender/cli/serve/serve_in_thread.h"
#include "tests/extender/service/answers.h"
#include "tests/extender/what_if/replay/recorded_service.h"

namespace winnow::test {
namespace {

using live::test::TempFolder;

/// The sample cluster, with a call of each verb.
void record_sample(const std::string& dir) {
  ServeFlags flags;
  flags.record.dir = dir;
  ServeInThread active(flags);
  const std::string body = args_with_names({"control-plane-1", "worker-1", "worker-2"});
  for (const char* const path : {"/filter", "/prioritize", "/predicates", "/priorities"})
    CHECK(active.post(path, body).status == 200);
  CHECK(active.post("/explain", body).status == 200);
  active.signal(SIGTERM);
  CHECK(active.wait() == kDone);
}

}  // namespace

TEST_CASE("serve --record, then replay: the exit code and the last line") {
  const TempFolder folder;
  record_sample(folder.path("r"));
  const Outcome same = winnow({"replay", folder.path("r")});
  CHECK(same.code == kDone);
  CHECK(same.err == "");
  REQUIRE(same.lines.size() == 2);
  CHECK(same.lines[0].starts_with("1 file, "));
  CHECK(same.lines[1] == "5 equal, 0 different, 0 not compared");
  const Outcome json = winnow({"replay", folder.path("r"), "-o", "json"});
  CHECK(json.code == kDone);
  CHECK(json_at(json.out, "equal") == "5");
  CHECK(json_at(json.out, "complete") == "true");

  const Outcome without = winnow({"replay", folder.path("r"), "--anonymize", folder.path("a")});
  CHECK(without.code == kDone);
  CHECK(without.lines.back() == "4 choices are the same, 0 are others");
  CHECK(winnow({"replay", folder.path("a")}).lines.back() == "5 equal, 0 different, 0 not compared");

  const Outcome mixed = winnow({"replay", folder.path("r"), "--anonymize", folder.path("a")});
  CHECK(mixed.code == kBadInput);
  CHECK(mixed.err == "winnow replay: " + folder.path("a") +
                         ": holds a recording already; expected a directory without one\n");

  const std::string whole = read_file(folder.path("r/recording-000001.jsonl.gz"));
  folder.write("cut", whole.substr(0, whole.size() - 20));
  const Outcome cut = winnow({"replay", folder.path("cut")});
  CHECK(cut.code == kBadInput);
  CHECK(cut.err.starts_with("winnow replay: " + folder.path("cut") + ": is cut short behind line "));
  CHECK(winnow({"replay", folder.path("none")}).code == kBadInput);
}

}  // namespace winnow::test
