// A changed configuration is loaded once, and counted when it is in force.
#include "extender/cli/reloader.h"

#include <doctest/doctest.h>

#include "tests/cluster/live/temp_folder.h"
#include "tests/extender/http/client.h"
#include "tests/extender/live/live_bed.h"

namespace winnow::test {
namespace {

using http::test::eventually;

struct Bed : LiveBed {
  live::test::TempFolder folder;
  CommonFlags common;

  Bed() {
    common.config = folder.write("config.json", kReadsFew);
    REQUIRE(worlds.load(rules_of(kReadsFew)));
    REQUIRE(eventually([&] { return worlds.not_ready().empty(); }));
  }
  Reloader reloader() { return {common, worlds, metrics.live(), Reloader::text_of(common)}; }
  void write(const std::string& text) { folder.write("config.json", text); }
};

TEST_SUITE("reloader") {
  TEST_CASE("a text is loaded once, whoever asks for it") {
    Bed bed;
    Reloader reloader = bed.reloader();
    reloader.look();
    CHECK(bed.shows(kTakenSeries, 0));
    bed.write(std::string(kReadsFew) + "\n");
    SUBCASE("a look") {
      reloader.look();
      reloader.look();
      CHECK(bed.shows(kTakenSeries, 1));
    }
    SUBCASE("a signal, then a look") {
      reloader.reload();
      reloader.look();
      CHECK(bed.shows(kTakenSeries, 1));
    }
  }

  TEST_CASE("what was written after the text was read, and before the reloader was there, is seen") {
    Bed bed;
    const std::string text = Reloader::text_of(bed.common);
    bed.write(std::string(kReadsFew) + "\n");
    Reloader reloader(bed.common, bed.worlds, bed.metrics.live(), text);
    reloader.look();
    CHECK(bed.shows(kTakenSeries, 1));
  }

  TEST_CASE("a wrong text is refused once") {
    Bed bed;
    Reloader reloader = bed.reloader();
    bed.write("{");
    reloader.look();
    reloader.look();
    CHECK(bed.shows(kRefusedSeries, 1));
    CHECK(bed.asks("PodFitsResources"));
  }

  TEST_CASE("rules that wait for their picture are not taken yet") {
    Bed bed;
    Reloader reloader = bed.reloader();
    bed.api.forbid("services");
    bed.write(kReadsServices);
    reloader.look();
    bed.worlds.tick();
    CHECK(bed.shows(kTakenSeries, 0));
    CHECK(bed.shows(kRefusedSeries, 0));
    CHECK(bed.asks("PodFitsResources"));
    bed.api.forbid("");
    CHECK(eventually([&] {
      bed.worlds.tick();
      return bed.asks("HostName");
    }));
    CHECK(bed.shows(kTakenSeries, 1));
  }
}

}  // namespace
}  // namespace winnow::test
