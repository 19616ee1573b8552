// What the cache knows of measurements: as they come, go stale, are denied, and after a loss.
#include "cluster/client/metrics/node_metrics_source.h"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cluster/api/decode.h"
#include "cluster/client/metrics/metrics_server.h"
#include "cluster/client/servers/api_servers.h"
#include "cluster/client/watch/live_cluster.h"
#include "cluster/state/assumed_pods.h"
#include "cluster/state/cluster_cache.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "extender/service/config_switch.h"
#include "extender/service/live_observer.h"
#include "extender/service/metrics/metrics.h"
#include "tests/builders.h"
#include "tests/cluster/client/servers/faulty_servers.h"
#include "tests/extender/service/http/client.h"
#include "tests/extender/service/live_config_switch.h"

namespace winnow::live {
namespace {

using namespace std::chrono_literals;
using http::test::eventually;
using test::FakeClock;

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kStart = 1'700'000'000;  ///< The wall clock's first second.

/// Says what the test says.
class ScriptedProvider final : public MetricsProvider {
 public:
  explicit ScriptedProvider(std::string name) : name_(std::move(name)) {}
  std::string_view name() const override { return name_; }
  Polled poll(const std::stop_token&) override {
    ++polls;
    return next;
  }

  Polled next;
  int polls = 0;

 private:
  const std::string name_;
};

/// "metrics-server denied", …
struct Results final : NodeMetricsObserver {
  void on_result(std::string_view provider, PollResult result, std::string_view error) override {
    lines.push_back(std::string(provider) + ' ' + std::string(to_string(result)) +
                    (error.empty() ? "" : ": ") + std::string(error));
  }
  std::vector<std::string> lines;
};

Polled failure(PollResult result, std::string error = "no") {
  Polled polled;
  polled.result = result;
  polled.error = std::move(error);
  return polled;
}

/// A source with two providers, and a cache with the nodes a and b, in one thread.
struct SourceBed {
  SourceBed() {
    cache.write([](State& state) {
      state.set_node(winnow::test::node("a"));
      state.set_node(winnow::test::node("b"));
    });
    feed = std::make_unique<NodeMetricsFeed>(
        source, cache, [this](ResourceKind, std::string_view message) { complaints.emplace_back(message); });
  }

  std::vector<std::unique_ptr<MetricsProvider>> providers() {
    auto first = std::make_unique<ScriptedProvider>("metrics-server");
    auto second = std::make_unique<ScriptedProvider>("prometheus");
    server = first.get();
    prometheus = second.get();
    std::vector<std::unique_ptr<MetricsProvider>> both;
    both.push_back(std::move(first));
    both.push_back(std::move(second));
    return both;
  }
  std::chrono::system_clock::time_point now() const {
    return std::chrono::system_clock::time_point(std::chrono::seconds(kStart) + (clock.now() - began));
  }
  /// Seconds on the wall clock.
  std::int64_t wall() const {
    return std::chrono::duration_cast<std::chrono::seconds>(now().time_since_epoch()).count();
  }
  void pass(std::chrono::seconds time) {
    clock.sleep(time, {});
    source.round({});
  }
  void measure(const std::string& node, double cpu, std::int64_t taken_ago = 0) {
    server->next.usage.insert_or_assign(
        node,
        NodeUsage{.cpu = cpu, .memory = 1024, .taken = (wall() - taken_ago) * kSecond, .window = kSecond});
  }
  void tell(const std::string& metric, const std::string& node, double value) {
    prometheus->next.metrics[metric].insert_or_assign(node, MetricValue{value, wall() * kSecond});
  }
  /// "a cpu=0.5 disk=2" of each node that something is known of.
  std::string known() const {
    const ClusterCache::ReadGuard state = cache.read();
    std::string text;
    for (const char* const name : {"a", "b", "c"}) {
      const NodeMetrics* const measured = state->metrics_of(name);
      if (measured == nullptr) continue;
      text += (text.empty() ? "" : "; ") + std::string(name);
      if (measured->usage) text += std::format(" cpu={}", measured->usage->cpu);
      for (const auto& [metric, value] : measured->metrics) text += std::format(" {}={}", metric, value);
    }
    return text;
  }
  ProviderStatus status(std::size_t provider = 0) const { return source.status().providers.at(provider); }

  FakeClock clock;
  const Clock::Time began = clock.now();
  ScriptedProvider* server = nullptr;
  ScriptedProvider* prometheus = nullptr;
  Results results;
  NodeMetricsSource source{providers(), {}, clock, [this] { return now(); }, results};
  ClusterCache cache{State::Options{.node_load = true}};
  std::vector<std::string> complaints;
  std::unique_ptr<NodeMetricsFeed> feed;
};

TEST_SUITE("node_metrics_source") {
  TEST_CASE("measurements of all providers come into the cache, joined by node") {
    SourceBed bed;
    bed.measure("a", 0.5);
    bed.tell("disk", "a", 2);
    bed.tell("disk", "b", 3.25);
    bed.source.round({});
    CHECK(bed.known() == "a cpu=0.5 disk=2; b disk=3.25");
    {
      const ClusterCache::ReadGuard state = bed.cache.read();
      const NodeLoad& load = state->nodes().load(state->find_node("a"));
      REQUIRE(load.usage.has_value());
      CHECK(*load.usage == bed.server->next.usage.at("a"));
      CHECK(load.metrics.at("disk") == 2);
    }
    const NodeMetricsStatus status = bed.source.status();
    CHECK(status.is_asked);
    CHECK(status.nodes == 2);
    CHECK(status.oldest_usage == 0ns);
    CHECK(status.providers[0].nodes == 1);
    CHECK(status.providers[1].nodes == 2);
    CHECK(bed.results.lines.empty());
    CHECK(bed.complaints.empty());
  }

  TEST_CASE("only what has changed is written, and news wakes those that wait") {
    SourceBed bed;
    bed.measure("a", 0.5);
    bed.measure("b", 1);
    bed.source.round({});
    const auto news = [&] { return bed.cache.news().count().for_others; };
    const auto changed = [&] { return bed.cache.changed(); };
    std::uint64_t before = news();
    const auto written = changed();
    bed.pass(15s);  // The same measurements.
    CHECK(news() == before);
    CHECK(changed() == written);
    bed.measure("b", 2);
    bed.pass(15s);
    CHECK(news() == before + 1);
    CHECK(bed.known() == "a cpu=0.5; b cpu=2");
  }

  TEST_CASE("what is too old is taken away, by its own time or by ours") {
    struct Row {
      const char* sentence;
      bool answers;            ///< The provider goes on to answer, with the same measurement.
      std::int64_t taken_ago;  ///< When the measurement first comes: below zero for a clock that is ahead.
      int seconds;             ///< For which it is known.
    };
    const Row rows[] = {
        {"nobody answers any more", false, 0, 300}, {"the same is told again and again", true, 0, 300},
        {"it was old when it came", true, 290, 10}, {"it is from the future", true, -3600, 300},
        {"it comes too late", true, 301, -1},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      SourceBed bed;
      bed.measure("a", 0.5, row.taken_ago);
      bed.source.round({});
      CHECK(bed.known() == (row.seconds < 0 ? "" : "a cpu=0.5"));
      if (!row.answers) bed.server->next = failure(PollResult::kFailed);
      if (row.seconds >= 0) {
        bed.pass(std::chrono::seconds(row.seconds));
        CHECK(bed.known() == "a cpu=0.5");
        bed.pass(1s);
      }
      CHECK(bed.known() == "");
      CHECK(bed.status().nodes == 0);
      CHECK(bed.status().too_old == 1);
      CHECK(!bed.source.status().oldest_usage.has_value());
    }
  }

  TEST_CASE("a node that one answer leaves out is known until its measurement is too old") {
    SourceBed bed;
    bed.measure("a", 0.5);
    bed.measure("b", 1);
    bed.source.round({});
    bed.server->next.usage.erase("b");
    bed.measure("a", 0.75, /*taken_ago=*/-15);
    bed.pass(15s);
    CHECK(bed.known() == "a cpu=0.75; b cpu=1");
    for (int i = 0; i < 20; ++i) {
      bed.measure("a", 0.75);
      bed.pass(15s);
    }
    CHECK(bed.known() == "a cpu=0.75");
    CHECK(bed.status().too_old == 0);  // It is forgotten.
  }

  TEST_CASE("an answered query replaces its values, and one that fails leaves them") {
    SourceBed bed;
    bed.tell("disk", "a", 1);
    bed.tell("net", "a", 2);
    bed.tell("net", "b", 3);
    bed.source.round({});
    CHECK(bed.known() == "a disk=1 net=2; b net=3");
    bed.prometheus->next = failure(PollResult::kPartly, "query \"disk\": 400");
    bed.tell("net", "a", 4);
    bed.pass(15s);
    CHECK(bed.known() == "a disk=1 net=4");
    CHECK(bed.results.lines == std::vector<std::string>{"prometheus partly: query \"disk\": 400"});
    bed.tell("net", "a", 4);  // At a later time.
    bed.pass(286s);
    CHECK(bed.known() == "a net=4");
  }

  TEST_CASE("an older measurement does not replace a newer one") {
    SourceBed bed;
    bed.measure("a", 0.5);
    bed.source.round({});
    bed.measure("a", 9, /*taken_ago=*/30);
    bed.pass(15s);
    CHECK(bed.known() == "a cpu=0.5");
  }

  TEST_CASE("names that no node has are counted apart, and count when the node comes") {
    SourceBed bed;
    bed.measure("a", 0.5);
    bed.measure("c", 1);
    bed.source.round({});
    CHECK(bed.status().nodes == 1);
    CHECK(bed.status().unknown == 1);
    CHECK(bed.status().unknown_name == "c");
    bed.cache.write([](State& state) { state.set_node(winnow::test::node("c")); });
    {
      const ClusterCache::ReadGuard state = bed.cache.read();
      CHECK(state->nodes().load(state->find_node("c")).usage.has_value());
    }
    bed.pass(15s);
    CHECK(bed.status().nodes == 2);
    CHECK(bed.status().unknown == 0);
  }

  TEST_CASE("a trouble is told when it begins and when it ends, and asks with growing pauses") {
    struct Row {
      const char* sentence;
      PollResult result;
      int least, most;  ///< Polls within ten minutes.
    };
    const Row rows[] = {
        {"no answer", PollResult::kFailed, 12, 40},
        {"nobody serves it", PollResult::kMissing, 12, 40},
        {"a right is missing", PollResult::kDenied, 4, 10},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      SourceBed bed;
      bed.server->next = failure(row.result);
      for (int second = 0; second < 600; ++second) bed.pass(1s);
      CHECK(bed.server->polls >= row.least);
      CHECK(bed.server->polls <= row.most);
      CHECK(bed.prometheus->polls == 40);
      CHECK(bed.status().polls[static_cast<std::size_t>(row.result)] ==
            static_cast<std::uint64_t>(bed.server->polls));
      CHECK(bed.status().error == "no");
      bed.server->next = {};
      bed.measure("a", 1);
      for (int second = 0; second < 300; ++second) bed.pass(1s);
      CHECK(bed.known() == "a cpu=1");
      const std::string name(to_string(row.result));
      CHECK(bed.results.lines ==
            std::vector<std::string>{"metrics-server " + name + ": no", "metrics-server good"});
      CHECK(bed.status().error == "");
    }
  }

  TEST_CASE("a server that wants patience is not asked before") {
    SourceBed bed;
    bed.server->next = failure(PollResult::kFailed);
    bed.server->next.retry_after = 40s;
    bed.source.round({});
    for (int second = 0; second < 39; ++second) bed.pass(1s);
    CHECK(bed.server->polls == 1);
    bed.pass(1s);
    CHECK(bed.server->polls == 2);
  }

  TEST_CASE("while no cache wants measurements, nobody is asked") {
    SourceBed bed;
    bed.feed.reset();
    bed.pass(60s);
    CHECK(bed.server->polls == 0);
    CHECK_FALSE(bed.source.status().is_asked);
  }

  TEST_CASE("after a loss of the cache the next round lists all, without a poll") {
    SourceBed bed;
    bed.measure("a", 0.5);
    bed.tell("disk", "b", 1);
    bed.source.round({});
    CHECK_THROWS_AS(bed.cache.write([](State&) { throw std::bad_alloc(); }), std::bad_alloc);
    CHECK(bed.known() == "");
    CHECK_FALSE(bed.cache.read().whole());
    bed.pass(1s);
    CHECK(bed.known() == "a cpu=0.5; b disk=1");
    CHECK(bed.cache.read().whole());
    CHECK(bed.server->polls == 1);
    bed.measure("a", 0.75);
    bed.pass(15s);
    CHECK(bed.known() == "a cpu=0.75; b disk=1");
  }

  TEST_CASE("the object in the cache and in recordings is one that its decoder reads") {
    const MeasuredNode node{
        .usage = NodeUsage{.cpu = 1.25, .memory = 3e9, .taken = kStart * kSecond, .window = 15 * kSecond},
        .metrics = {{"a.b", 0.1}, {"big", 1e300}, {"below", -2}},
        .version = 7};
    const auto read = decode<NodeMetrics>(node_metrics_json("no\"de", node));
    REQUIRE(read.has_value());
    CHECK(read->metadata.name == "no\"de");
    CHECK(read->metadata.resource_version == "7");
    CHECK(read->usage == node.usage);
    CHECK(read->metrics == node.metrics);
    CHECK(
        node_metrics_json("a", {.usage = {}, .metrics = {}, .version = 1}) ==
        R"({"kind":"NodeMetrics","apiVersion":"metrics.k8s.io/v1beta1","metadata":{"name":"a","resourceVersion":"1"}})");
  }
}

/// Answers lists of metrics with what the test says, and all else as an empty cluster does.
class MeasuredApi final : public ApiTransport {
 public:
  explicit MeasuredApi(ApiTransport& inner) : inner_(inner) {}
  using Answer = winnow::test::EmptyApi::Answer;
  std::atomic<int> status = 403;
  std::atomic<int> asked = 0;

  Answer call(const std::string& server, const ApiRequest& request, std::chrono::milliseconds limit,
              const std::stop_token& stop) override {
    if (!request.path.starts_with("/apis/metrics.k8s.io/")) return inner_.call(server, request, limit, stop);
    ++asked;
    if (status != 200) return ApiResponse{.status = status, .body = R"({"kind":"Status","message":"no"})"};
    return ApiResponse{.status = 200,
                       .body =
                           R"({"kind":"NodeMetricsList","items":[{"metadata":{"name":"a"},"window":"15s",)"
                           R"("timestamp":"2026-01-31T12:00:00Z","usage":{"cpu":"500m","memory":"1Ki"}}]})"};
  }
  Answer stream(const std::string& server, const ApiRequest& request, std::chrono::milliseconds limit,
                std::chrono::milliseconds idle, const OnPiece& on_piece,
                const std::stop_token& stop) override {
    return inner_.stream(server, request, limit, idle, on_piece, stop);
  }

 private:
  ApiTransport& inner_;
};

TEST_CASE("a source in its thread never makes a cache wait: when rights lack, and after a loss") {
  winnow::test::EmptyApi empty;
  MeasuredApi api(empty);
  ApiServers servers{{"https://a"}, system_clock()};
  Metrics metrics{"", ""};
  LiveObserver observer{metrics.live()};
  Results results;
  std::vector<std::unique_ptr<MetricsProvider>> providers;
  providers.push_back(std::make_unique<MetricsServer>(servers, api));
  // The measurement is of this time, and stays of use.
  const auto now = [] { return std::chrono::system_clock::time_point(std::chrono::seconds(1'769'860'801)); };
  NodeMetricsSource source(std::move(providers), {.period = 5ms}, system_clock(), now, results);
  const std::jthread thread([&](const std::stop_token& stop) { source.run(stop); });
  CacheSource cache_source(
      State::Options{.node_load = true}, kind_of<Node> | kind_of<Pod>,
      LiveCluster::Shared{servers, api, system_clock(), observer, [](auto, auto) {}, nullptr, &source});
  ClusterCache& cache = cache_source.cache();
  cache_source.start();
  REQUIRE(eventually([&] { return cache_source.incomplete().empty() && api.asked > 0; }));
  const auto lose = [&] {
    CHECK_THROWS_AS(cache.write_pods([](AssumedPods&) { throw std::bad_alloc(); }), std::bad_alloc);
    CHECK(eventually([&] { return cache_source.incomplete().empty() && cache.read().whole(); }));
  };
  lose();
  api.status = 200;
  const auto is_measured = [&] {
    const NodeMetrics* const measured = cache.read()->metrics_of("a");
    return measured != nullptr && measured->usage && measured->usage->cpu == 0.5;
  };
  CHECK(eventually(is_measured));
  lose();
  CHECK(eventually(is_measured));
  // Its unknown name is counted, for the cluster has no node.
  CHECK(eventually([&] { return source.status().providers[0].unknown_name == "a"; }));
}

}  // namespace
}  // namespace winnow::live
