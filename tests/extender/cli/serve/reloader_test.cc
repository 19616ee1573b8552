// A changed configuration is loaded once, and counted when it is in force.
#include <doctest/doctest.h>

#include "extender/cli/flags/flags.h"
#include "extender/cli/serve/config_source.h"
#include "tests/cluster/client/transport/temp_folder.h"
#include "tests/extender/service/http/client.h"
#include "tests/extender/service/live_config_switch.h"
#include "tests/extender/service/running_server.h"

namespace winnow::test {
namespace {

using http::test::eventually;

constexpr const char* kToday =
    R"({"apiVersion":"kubescheduler.config.k8s.io/v1","kind":"KubeSchedulerConfiguration"})";

struct Bed : LiveConfigSwitch {
  live::test::TempFolder folder;
  CommonFlags common;
  ServeFlags flags;
  ConfigSource source{common, flags};
  ConfigInForce in_force{folder.path("copy")};

  explicit Bed(const char* rules = kReadsFew) {
    common.config = folder.write("config.json", rules);
    REQUIRE(config_switch.load(rules_of(rules)));
    REQUIRE(eventually([&] { return config_switch.not_ready().empty(); }));
  }
  void on_rules(const LoadedRules& taken) override { in_force.taken(taken); }
  Reloader reloader() { return {source, config_switch, in_force, metrics.live(), source.text()}; }
  void write(const std::string& text) { folder.write("config.json", text); }
  /// The copy of what is in force.
  std::string in_force_file() const { return folder.path("copy"); }
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
    const std::string text = bed.source.text();
    bed.write(std::string(kReadsFew) + "\n");
    Reloader reloader(bed.source, bed.config_switch, bed.in_force, bed.metrics.live(), text);
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
    CHECK(read_file(bed.in_force_file()) == kReadsFew);
  }

  TEST_CASE("with best, rules that lack what it takes are refused, unless they are allowed") {
    Bed bed(kToday);
    bed.flags.answer = AnswerMode::kBest;
    Reloader reloader = bed.reloader();
    SUBCASE("refused") {
      bed.write(kReadsFew);
      reloader.look();
      CHECK(bed.shows(kRefusedSeries, 1));
      CHECK(bed.asks("NodeResourcesFit"));
      CHECK(read_file(bed.in_force_file()) == kToday);
    }
    SUBCASE("allowed") {
      bed.flags.allow_missing_rules = true;
      bed.write(kReadsFew);
      reloader.look();
      CHECK(bed.shows(kRefusedSeries, 0));
    }
    SUBCASE("nothing is lacking") {
      bed.write(std::string(kToday) + "\n");
      reloader.look();
      CHECK(bed.shows(kTakenSeries, 1));
    }
  }

  TEST_CASE("rules that wait for their picture are not taken yet") {
    Bed bed;
    Reloader reloader = bed.reloader();
    bed.api.refuse("services", 500);
    bed.write(kReadsServices);
    reloader.look();
    bed.config_switch.tick();
    CHECK(bed.shows(kTakenSeries, 0));
    CHECK(bed.shows(kRefusedSeries, 0));
    CHECK(bed.asks("PodFitsResources"));
    CHECK(read_file(bed.in_force_file()) == kReadsFew);
    bed.api.forbid("");
    CHECK(eventually([&] {
      bed.config_switch.tick();
      return bed.asks("HostName");
    }));
    CHECK(bed.shows(kTakenSeries, 1));
    CHECK(read_file(bed.in_force_file()) == kReadsServices);
  }
}

}  // namespace
}  // namespace winnow::test
