// Rules are changed while requests come: at once where the cache does, with a second cache where it does
// not.
#include "extender/service/config_switch.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <format>

#include "cluster/api/kinds.h"
#include "cluster/state/assumed_pods.h"
#include "extender/service/unread_kinds.h"
#include "tests/builders.h"
#include "tests/extender/service/http/client.h"
#include "tests/extender/service/live_config_switch.h"
#include "tests/standard_error.h"

namespace winnow::test::config_switch_test {
namespace {

const char* const kHostName =
    R"({"kind":"Policy","apiVersion":"v1","predicates":[{"name":"HostName"}],"priorities":[]})";
const char* const kToday =
    R"({"kind":"KubeSchedulerConfiguration","apiVersion":"kubescheduler.config.k8s.io/v1"})";

const std::string kRefused = "the API server refuses Winnow's credentials (401): no list or watch of ";

using http::test::eventually;

bool asks(const ActiveConfig& active, std::string_view rule) {
  return std::ranges::contains(active.engines->predicate_names(), rule);
}

struct Bed : CacheSources, ConfigObserver {
  Workers workers{0};
  Metrics metrics{"", ""};
  std::vector<State::Options> made;
  std::string refuses;
  std::vector<ActiveConfig> changes;
  ConfigSwitch config_switch{workers, metrics, *this, {}, this};

  Bed() {
    REQUIRE(config_switch.load(rules_of(kReadsFew)));
    changes.clear();
  }
  std::expected<std::shared_ptr<CacheSource>, std::string> make(const State::Options& options,
                                                                WatchedKinds) override {
    if (!refuses.empty()) return std::unexpected(refuses);
    made.push_back(options);
    return std::make_shared<CacheSource>(std::make_unique<ClusterCache>(options));
  }
  void on_active(ActiveConfig active) override { changes.push_back(std::move(active)); }
};

TEST_SUITE("config switch") {
  TEST_CASE("other rules over the same picture are taken at once") {
    Bed bed;
    const ActiveConfig before = bed.config_switch.active();
    REQUIRE(bed.config_switch.load(rules_of(kHostName)));
    REQUIRE(bed.changes.size() == 1);
    CHECK(bed.changes[0].cache == before.cache);
    CHECK(asks(bed.changes[0], "HostName"));
    CHECK_FALSE(asks(bed.changes[0], "PodFitsResources"));
    CHECK(asks(before, "PodFitsResources"));
    CHECK(bed.made.size() == 1);
  }

  TEST_CASE("rules of another generation get a picture that is read for them") {
    Bed bed;
    const ActiveConfig before = bed.config_switch.active();
    CHECK(bed.config_switch.load(rules_of(kToday)) == ConfigSwitch::Loaded::kTaken);
    REQUIRE(bed.made.size() == 2);
    CHECK(bed.made[1].generation == Generation::kToday);
    REQUIRE(bed.changes.size() == 1);
    CHECK(bed.changes[0].cache != before.cache);
    bed.config_switch.tick();
    CHECK(before.cache->read()->node_count() == 0);  // Who holds the old one may go on.
  }

  TEST_CASE("what cannot be made leaves everything as it was") {
    Bed bed;
    bed.refuses = "no such file";
    const auto loaded = bed.config_switch.load(rules_of(kToday));
    REQUIRE_FALSE(loaded);
    CHECK(loaded.error() == "no such file");
    CHECK(bed.changes.empty());
    CHECK(asks(bed.config_switch.active(), "PodFitsResources"));
  }

  TEST_CASE("a picture from files is always whole and never stale") {
    Bed bed;
    CHECK(bed.config_switch.not_ready() == "");
    CHECK(bed.config_switch.unusable() == "");
  }

  TEST_CASE("rules that read more of a live cluster wait for a second picture") {
    LiveConfigSwitch bed;
    std::vector<ActiveConfig>& changes = bed.changes;
    REQUIRE(bed.config_switch.load(rules_of(kReadsFew)) == ConfigSwitch::Loaded::kTaken);
    // The cache may become whole between any two looks.
    const bool ready_before = bed.config_switch.not_ready().empty();
    const bool incomplete = bed.config_switch.unusable().contains("not complete yet");
    const bool ready_after = bed.config_switch.not_ready().empty();
    CHECK_FALSE((incomplete && ready_before));
    CHECK((incomplete || ready_after));
    REQUIRE(eventually([&] { return bed.config_switch.not_ready().empty(); }));
    const ActiveConfig before = bed.config_switch.active();
    changes.clear();
    bed.api.refuse("services", 500);
    REQUIRE(bed.config_switch.load(rules_of(kReadsServices)) == ConfigSwitch::Loaded::kWaiting);
    bed.config_switch.tick();
    CHECK(changes.empty());
    CHECK(bed.config_switch.active().cache == before.cache);
    SUBCASE("until it is whole") {
      bed.api.forbid("");
      CHECK(eventually([&] {
        bed.config_switch.tick();
        return !changes.empty();
      }));
      CHECK(changes.size() == 1);
      CHECK(asks(changes[0], "HostName"));
      CHECK(changes[0].cache != before.cache);
      CHECK(eventually([&] { return bed.config_switch.not_ready().empty(); }));
    }
    SUBCASE("or until others come") {
      REQUIRE(bed.config_switch.load(rules_of(kReadsFew)) == ConfigSwitch::Loaded::kTaken);
      bed.api.forbid("");
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      bed.config_switch.tick();
      CHECK(changes.size() == 1);
      CHECK(changes[0].cache == before.cache);
      CHECK(bed.shows(kTakenSeries, 0));
    }
  }

  TEST_CASE("a stale picture is not ready, and is answered from only where that is wanted") {
    for (const bool serve_stale : {false, true}) {
      CAPTURE(serve_stale);
      LiveConfigSwitch bed({.max_staleness = std::chrono::seconds(2), .serve_stale = serve_stale});
      REQUIRE(bed.config_switch.load(rules_of(kReadsFew)));
      const auto shows_stale = [&](const char* resource, int value) {
        bed.config_switch.before_scrape();
        return bed.shows(std::format(R"(winnow_watch_stale{{resource="{}"}})", resource), value);
      };
      // Where nothing runs for two seconds the cache is stale for a moment, until the next bookmark.
      CHECK(eventually([&] { return bed.config_switch.not_ready().empty(); }));
      CHECK(eventually([&] { return bed.config_switch.unusable().empty() && shows_stale("pods", 0); }));
      bed.api.down = true;
      CHECK(eventually([&] { return bed.config_switch.not_ready().contains("is stale"); }));
      CHECK(eventually([&] { return shows_stale("pods", 1) || shows_stale("nodes", 1); }));
      CHECK(eventually([&] { return bed.config_switch.unusable().empty() == serve_stale; }));
    }
  }

  TEST_CASE("revoked credentials: not ready, and a picture that is not stale is answered from") {
    LiveConfigSwitch bed;
    REQUIRE(bed.config_switch.load(rules_of(kReadsFew)));
    REQUIRE(eventually([&] { return bed.config_switch.not_ready().empty(); }));
    bed.api.revoked = true;
    REQUIRE(eventually([&] { return bed.config_switch.not_ready().starts_with(kRefused); }));
    CHECK(bed.config_switch.unusable().empty());
    bed.api.revoked = false;
    CHECK(eventually([&] { return bed.config_switch.not_ready().empty(); }));
  }

  TEST_CASE("revoked credentials: of a picture that has become stale it is said why") {
    LiveConfigSwitch bed({.max_staleness = std::chrono::milliseconds(200), .serve_stale = false});
    REQUIRE(bed.config_switch.load(rules_of(kReadsFew)));
    REQUIRE(eventually([&] { return bed.config_switch.not_ready().empty(); }));
    bed.api.revoked = true;
    const auto is_told = [&] {
      const std::string why = bed.config_switch.unusable();
      return why.starts_with("winnow: the picture of the cluster is stale: ") &&
             why.contains("; " + kRefused);
    };
    CHECK(eventually(is_told));
  }

  TEST_CASE("a right that is missing from the start is told before what the picture waits for") {
    LiveConfigSwitch bed;
    bed.api.forbid("nodes");
    REQUIRE(bed.config_switch.load(rules_of(kReadsFew)));
    REQUIRE(eventually([&] {
      return bed.config_switch.not_ready().starts_with("the API server denies Winnow a right: 403");
    }));
    CHECK(bed.config_switch.unusable().starts_with(
        "winnow: the picture of the cluster is not complete yet: waiting for "));
    CHECK(bed.config_switch.unusable().contains("; the API server denies Winnow a right: 403"));
  }

  TEST_CASE(
      "a kind that is denied: ready, and the log, the text and the metric say what Winnow does without") {
    LiveConfigSwitch bed;
    bed.api.forbid("services");
    const std::string unread = R"(winnow_watch_unread{resource="services"})";
    const auto shows_unread = [&](int value) {
      bed.config_switch.before_scrape();
      return bed.shows(unread, value);
    };
    std::string told, told_again, told_of_end;
    REQUIRE(bed.config_switch.load(rules_of(kReadsServices)));
    REQUIRE(eventually([&] { return bed.config_switch.not_ready().empty(); }));
    CHECK(bed.config_switch.unusable().empty());
    CHECK(bed.config_switch.missing_rights() ==
          "services are not read: the API server denies Winnow a right: 403: {}");
    CHECK(shows_unread(1));
    {
      const StandardError error;
      bed.config_switch.tick();
      told = error.text();
      bed.config_switch.tick();
      told_again = error.text().substr(told.size());
    }
    CHECK_MESSAGE(told.ends_with(" level=warn msg=\"a right is missing: Winnow does without the resource\" "
                                 "resource=services kind=Service verb=list rules=SelectorSpreadPriority "
                                 "meanwhile=\"no pod belongs to a Service\" message=\"the API server denies "
                                 "Winnow a right: 403: {}\"\n"),
                  told);
    CHECK(told_again.empty());
    bed.api.forbid("");
    CHECK(eventually([&] { return bed.config_switch.missing_rights().empty() && shows_unread(0); }));
    {
      const StandardError error;
      bed.config_switch.tick();
      told_of_end = error.text();
    }
    CHECK_MESSAGE(told_of_end.ends_with(
                      " msg=\"a resource is read again that Winnow did without\" resource=services\n"),
                  told_of_end);
  }

  TEST_CASE(
      "classes of devices that are denied, or not served: ready, and it is told as far as it is a lack") {
    const std::string unread = R"(winnow_watch_unread{resource="deviceclasses"})";
    const std::string meanwhile = " meanwhile=\"" + std::string(answers_without(kind_of<DeviceClass>)) + "\"";
    for (const int status : {403, 404}) {
      CAPTURE(status);
      const bool is_lack = status == 403;
      LiveConfigSwitch bed;
      bed.api.refuse("deviceclasses", status);
      REQUIRE(bed.config_switch.load(rules_of(kReadsFew)));
      REQUIRE(eventually([&] { return bed.config_switch.not_ready().empty(); }));
      CHECK(bed.config_switch.unusable().empty());
      CHECK(bed.config_switch.missing_rights() ==
            (is_lack ? "deviceclasses are not read: the API server denies Winnow a right: 403: {}" : ""));
      bed.config_switch.before_scrape();
      CHECK(bed.shows(unread, is_lack ? 1 : 0));
      std::string told;
      {
        const StandardError error;
        bed.config_switch.tick();
        told = error.text();
      }
      CHECK_MESSAGE(told.contains(is_lack ? " level=warn msg=\"a right is missing: Winnow does without the "
                                            "resource\" resource=deviceclasses kind=DeviceClass verb=list "
                                            "rules=PodFitsResources"
                                          : " level=info msg=\"no API server serves a resource: Winnow does "
                                            "without\" resource=deviceclasses"),
                    told);
      CHECK_MESSAGE(told.contains(meanwhile), told);
    }
  }

  TEST_CASE("a doubt is settled by what the watch has told since, not by time") {
    LiveConfigSwitch bed;
    REQUIRE(bed.config_switch.load(rules_of(kReadsFew)));
    REQUIRE(eventually([&] { return bed.config_switch.not_ready().empty(); }));
    const auto now = std::chrono::steady_clock::now();
    const auto doubt = [&](const std::string& name, AssumedPods::Time when) {
      Pod made = pod(name).uid(name);
      made.metadata.resource_version = "7";
      bed.config_switch.active().cache->write_pods([&](AssumedPods& pods) {
        pods.assume(made, "n", now);
        made.status.conditions.push_back({"PodScheduled", "False", "", "0/1 nodes are available"});
        pods.set(made, when);
      });
    };
    doubt("old", now - 2 * AssumedPods::kDoubt);  // The watch may have begun a moment before now.
    doubt("new", now);
    bed.config_switch.tick();
    const ActiveConfig active = bed.config_switch.active();
    CHECK_FALSE(active.cache->read().assumed().find("default", "old"));
    CHECK(active.cache->read().assumed().find("default", "new"));
  }
}

}  // namespace
}  // namespace winnow::test::config_switch_test
