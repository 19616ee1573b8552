// Rules are changed while requests come: at once where the picture does, with a second picture where it does
// not.
#include "extender/live/worlds.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "extender/config/gates.h"
#include "tests/builders.h"

namespace winnow::test {
namespace {

LoadedRules rules_of(const std::string& text) {
  return load_rules("config", text, parse_gates("").value()).value();
}
const char* const kResources =
    R"({"kind":"Policy","apiVersion":"v1","predicates":[{"name":"PodFitsResources"}],
                                    "priorities":[{"name":"LeastRequestedPriority","weight":1}]})";
const char* const kHostName =
    R"({"kind":"Policy","apiVersion":"v1","predicates":[{"name":"HostName"}],"priorities":[]})";
const char* const kToday =
    R"({"kind":"KubeSchedulerConfiguration","apiVersion":"kubescheduler.config.k8s.io/v1"})";

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
    REQUIRE(worlds.load(rules_of(kResources)));
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
    before.picture->write_pods([](AssumedPods& pods) {
      Pod made = pod("p").uid("u");
      made.metadata.resource_version = "1";
      pods.assume(made, "n", {});
    });
    REQUIRE(bed.worlds.load(rules_of(kToday)));
    REQUIRE(bed.made.size() == 2);
    CHECK(bed.made[1].generation == Generation::kToday);
    REQUIRE(bed.changes.size() == 1);
    CHECK(bed.changes[0].picture != before.picture);
    CHECK(bed.changes[0].picture->read().assumed().find("default", "p"));
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
}

}  // namespace
}  // namespace winnow::test
