// Rules are changed while requests come: at once where the picture does, with a second picture where it does
// not.
#include "extender/live/worlds.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/builders.h"
#include "tests/extender/http/client.h"
#include "tests/extender/live/live_bed.h"

namespace winnow::test {
namespace {

const char* const kHostName =
    R"({"kind":"Policy","apiVersion":"v1","predicates":[{"name":"HostName"}],"priorities":[]})";
const char* const kToday =
    R"({"kind":"KubeSchedulerConfiguration","apiVersion":"kubescheduler.config.k8s.io/v1"})";

const std::string kRefused = "the API server refuses Winnow's credentials (401): no list or watch of ";

using http::test::eventually;

bool asks(const World& world, std::string_view rule) {
  return std::ranges::contains(world.engines->predicate_names(), rule);
}

struct Bed {
  Workers workers{0};
  Metrics metrics{"", "", {}};
  std::vector<State::Options> made;
  std::string refuses;
  Worlds worlds{
      workers,
      metrics,
      [this](const State::Options& options, Needs) -> std::expected<std::shared_ptr<Site>, std::string> {
        if (!refuses.empty()) return std::unexpected(refuses);
        made.push_back(options);
        return std::make_shared<Site>(std::make_unique<Picture>(options));
      },
      {}};
  std::vector<World> changes;

  Bed() {
    worlds.on_change([this](World world) { changes.push_back(std::move(world)); });
    REQUIRE(worlds.load(rules_of(kReadsFew)));
    changes.clear();
  }
};

TEST_SUITE("worlds") {
  TEST_CASE("other rules over the same picture are taken at once") {
    Bed bed;
    const World before = bed.worlds.world();
    REQUIRE(bed.worlds.load(rules_of(kHostName)));
    REQUIRE(bed.changes.size() == 1);
    CHECK(bed.changes[0].picture == before.picture);
    CHECK(asks(bed.changes[0], "HostName"));
    CHECK_FALSE(asks(bed.changes[0], "PodFitsResources"));
    CHECK(asks(before, "PodFitsResources"));
    CHECK(bed.made.size() == 1);
  }

  TEST_CASE("rules of another generation get a picture that is read for them") {
    Bed bed;
    const World before = bed.worlds.world();
    CHECK(bed.worlds.load(rules_of(kToday)) == Worlds::Loaded::kTaken);
    REQUIRE(bed.made.size() == 2);
    CHECK(bed.made[1].generation == Generation::kToday);
    REQUIRE(bed.changes.size() == 1);
    CHECK(bed.changes[0].picture != before.picture);
    bed.worlds.tick();
    CHECK(before.picture->read()->node_count() == 0);  // Who holds the old one may go on.
  }

  TEST_CASE("what cannot be made leaves everything as it was") {
    Bed bed;
    bed.refuses = "no such file";
    const auto loaded = bed.worlds.load(rules_of(kToday));
    REQUIRE_FALSE(loaded);
    CHECK(loaded.error() == "no such file");
    CHECK(bed.changes.empty());
    CHECK(asks(bed.worlds.world(), "PodFitsResources"));
  }

  TEST_CASE("a picture from files is always whole and never stale") {
    Bed bed;
    CHECK(bed.worlds.not_ready() == "");
    CHECK(bed.worlds.unusable() == "");
  }

  TEST_CASE("rules that read more of a live cluster wait for a second picture") {
    LiveBed bed;
    std::vector<World> changes;
    bed.worlds.on_change([&](World world) { changes.push_back(std::move(world)); });
    REQUIRE(bed.worlds.load(rules_of(kReadsFew)) == Worlds::Loaded::kTaken);
    // The picture may become whole between any two looks.
    const bool ready_before = bed.worlds.not_ready().empty();
    const bool incomplete = bed.worlds.unusable().contains("not complete yet");
    const bool ready_after = bed.worlds.not_ready().empty();
    CHECK_FALSE((incomplete && ready_before));
    CHECK((incomplete || ready_after));
    REQUIRE(eventually([&] { return bed.worlds.not_ready().empty(); }));
    const World before = bed.worlds.world();
    changes.clear();
    bed.api.forbid("services");
    REQUIRE(bed.worlds.load(rules_of(kReadsServices)) == Worlds::Loaded::kWaiting);
    bed.worlds.tick();
    CHECK(changes.empty());
    CHECK(bed.worlds.world().picture == before.picture);
    SUBCASE("until it is whole") {
      bed.api.forbid("");
      CHECK(eventually([&] {
        bed.worlds.tick();
        return !changes.empty();
      }));
      CHECK(changes.size() == 1);
      CHECK(asks(changes[0], "HostName"));
      CHECK(changes[0].picture != before.picture);
      CHECK(bed.worlds.not_ready() == "");
    }
    SUBCASE("or until others come") {
      REQUIRE(bed.worlds.load(rules_of(kHostName)) == Worlds::Loaded::kTaken);
      bed.api.forbid("");
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      bed.worlds.tick();
      CHECK(changes.size() == 1);
      CHECK(changes[0].picture == before.picture);
      CHECK(bed.shows(kTakenSeries, 0));
    }
  }

  TEST_CASE("a stale picture is not ready, and is answered from only where that is wanted") {
    for (const bool serve_stale : {false, true}) {
      CAPTURE(serve_stale);
      LiveBed bed({.max_staleness = std::chrono::seconds(1), .serve_stale = serve_stale});
      REQUIRE(bed.worlds.load(rules_of(kReadsFew)));
      REQUIRE(eventually([&] { return bed.worlds.not_ready().empty(); }));
      CHECK(bed.worlds.unusable() == "");
      bed.api.down = true;
      REQUIRE(eventually([&] { return bed.worlds.not_ready().contains("is stale"); }));
      CHECK(bed.worlds.unusable().empty() == serve_stale);
    }
  }

  TEST_CASE("revoked credentials: not ready, and a picture that is not stale is answered from") {
    LiveBed bed;
    REQUIRE(bed.worlds.load(rules_of(kReadsFew)));
    REQUIRE(eventually([&] { return bed.worlds.not_ready().empty(); }));
    bed.api.revoked = true;
    REQUIRE(eventually([&] { return bed.worlds.not_ready().starts_with(kRefused); }));
    CHECK(bed.worlds.unusable().empty());
    bed.api.revoked = false;
    CHECK(eventually([&] { return bed.worlds.not_ready().empty(); }));
  }

  TEST_CASE("revoked credentials: of a picture that has become stale it is said why") {
    LiveBed bed({.max_staleness = std::chrono::seconds(1), .serve_stale = false});
    REQUIRE(bed.worlds.load(rules_of(kReadsFew)));
    REQUIRE(eventually([&] { return bed.worlds.not_ready().empty(); }));
    bed.api.revoked = true;
    const auto is_told = [&] {
      const std::string why = bed.worlds.unusable();
      return why.starts_with("winnow: the picture of the cluster is stale: ") &&
             why.contains("; " + kRefused);
    };
    CHECK(eventually(is_told));
  }

  TEST_CASE("a right that is missing from the start is told before what the picture waits for") {
    LiveBed bed;
    bed.api.forbid("nodes");
    REQUIRE(bed.worlds.load(rules_of(kReadsFew)));
    REQUIRE(eventually(
        [&] { return bed.worlds.not_ready().starts_with("the API server denies Winnow a right: 403"); }));
    CHECK(bed.worlds.unusable().starts_with(
        "winnow: the picture of the cluster is not complete yet: waiting for "));
    CHECK(bed.worlds.unusable().contains("; the API server denies Winnow a right: 403"));
  }

  TEST_CASE("a doubt is settled by what the watch has told since, not by time") {
    LiveBed bed;
    REQUIRE(bed.worlds.load(rules_of(kReadsFew)));
    REQUIRE(eventually([&] { return bed.worlds.not_ready().empty(); }));
    const auto now = std::chrono::steady_clock::now();
    const auto doubt = [&](const std::string& name, AssumedPods::Time when) {
      Pod made = pod(name).uid(name);
      made.metadata.resource_version = "7";
      bed.worlds.world().picture->write_pods([&](AssumedPods& pods) {
        pods.assume(made, "n", now);
        made.status.conditions.push_back({"PodScheduled", "False", "", "0/1 nodes are available"});
        pods.set(made, when);
      });
    };
    doubt("old", now - 2 * AssumedPods::kDoubt);  // The watch may have begun a moment before now.
    doubt("new", now);
    bed.worlds.tick();
    const World world = bed.worlds.world();
    CHECK_FALSE(world.picture->read().assumed().find("default", "old"));
    CHECK(world.picture->read().assumed().find("default", "new"));
  }
}

}  // namespace
}  // namespace winnow::test
