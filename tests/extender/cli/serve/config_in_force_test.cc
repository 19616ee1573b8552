// Which configuration is in force since when, and its copy.
#include <doctest/doctest.h>

#include <filesystem>

#include "extender/cli/serve/config_source.h"
#include "extender/config/extenders.h"
#include "tests/cluster/client/transport/temp_folder.h"
#include "tests/extender/service/running_server.h"

namespace winnow::test {
namespace {

using live::test::TempFolder;
using Clock = std::chrono::system_clock;

/// 2026-01-31T12:00:00Z
constexpr Clock::time_point kNoon{std::chrono::seconds(1769860800)};

LoadedRules with_text(const std::string& text) {
  LoadedRules rules = classic_rules({});
  rules.text = text;
  rules.named = text.empty();
  return rules;
}

TEST_SUITE("config in force") {
  TEST_CASE("since when, and which") {
    Clock::time_point now = kNoon;
    ConfigInForce in_force("", [&] { return now; });
    in_force.taken(with_text("abc"));
    now += std::chrono::milliseconds(90500);
    CHECK(in_force.since() == "2026-01-31T12:00:00Z");
    CHECK(in_force.fingerprint() == "ba7816bf8f01");  // As `printf abc | sha256sum` begins.
    in_force.taken(with_text(""));
    CHECK(in_force.since() == "2026-01-31T12:01:30Z");
    CHECK(in_force.fingerprint() == "v1.16, default provider");
  }

  TEST_CASE("the copy is the text that was taken last, byte by byte, and its owner's alone") {
    const TempFolder folder;
    const std::string copy = folder.path("last-good.yaml");
    ConfigInForce in_force(copy);
    in_force.taken(with_text("first\n"));
    in_force.taken(with_text(std::string(300'000, 'x')));
    CHECK(read_file(copy) == std::string(300'000, 'x'));
    CHECK((std::filesystem::status(copy).permissions() & std::filesystem::perms::all) ==
          (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
    in_force.taken(with_text(""));  // Rules that have a name are in no file.
    CHECK(read_file(copy).size() == 300'000);
    CHECK_FALSE(std::filesystem::exists(copy + ".new"));
  }

  TEST_CASE("a copy that cannot be written costs nothing, and the one before stays") {
    const TempFolder folder;
    ConfigInForce nowhere(folder.path("no/such/folder"));
    nowhere.taken(with_text("abc"));
    CHECK(nowhere.fingerprint() == "ba7816bf8f01");
    const std::string copy = folder.write("copy", "good");
    std::filesystem::create_directory(copy + ".new");  // Where the new one would be written first.
    ConfigInForce in_force(copy);
    in_force.taken(with_text("abc"));
    CHECK(read_file(copy) == "good");
  }

  TEST_CASE("what a failed start says of the copy") {
    const TempFolder folder;
    CHECK(last_good_line("") == "");
    CHECK(last_good_line(folder.path("none")) == "");
    CHECK(last_good_line(folder.write("empty", "")) == "");
    const std::string copy = folder.write("copy", "abc");
    std::filesystem::last_write_time(copy, std::chrono::clock_cast<std::chrono::file_clock>(kNoon));
    CHECK(last_good_line(copy) == "the last good configuration is " + copy +
                                      " (taken 2026-01-31T12:00:00Z, sha256 ba7816bf8f01): --config=" + copy +
                                      " serves by it");
  }
}

}  // namespace
}  // namespace winnow::test
