// The reflectors of a cache, each in its thread.
#include "cluster/client/watch/live_cluster.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "cluster/client/watch/reflector_status.h"
#include "cluster/rule/pod_devices.h"
#include "tests/extender/service/http/client.h"
#include "tests/extender/service/live_config_switch.h"

namespace winnow::test {
namespace {

using http::test::eventually;

/// Counts the lists of each resource.
class CountingApi final : public live::ApiTransport {
 public:
  explicit CountingApi(live::ApiTransport& inner) : inner_(inner) {}
  using Answer = EmptyApi::Answer;

  Answer call(const std::string& server, const live::ApiRequest& request, std::chrono::milliseconds limit,
              const std::stop_token& stop) override {
    {
      const std::lock_guard lock(mutex_);
      ++lists_[request.path.substr(0, request.path.find('?'))];
    }
    return inner_.call(server, request, limit, stop);
  }
  Answer stream(const std::string& server, const live::ApiRequest& request, std::chrono::milliseconds limit,
                std::chrono::milliseconds idle, const OnPiece& on_piece,
                const std::stop_token& stop) override {
    return inner_.stream(server, request, limit, idle, on_piece, stop);
  }

  /// The fewest lists of any resource.
  int fewest(std::size_t resources) const {
    const std::lock_guard lock(mutex_);
    if (lists_.size() < resources) return 0;
    int fewest = 1'000'000;
    for (const auto& [path, count] : lists_) fewest = std::min(fewest, count);
    return fewest;
  }

 private:
  live::ApiTransport& inner_;
  mutable std::mutex mutex_;
  std::map<std::string, int> lists_;
};

/// Refuses lists of one resource, and holds back those of another.
class RefusingApi final : public live::ApiTransport {
 public:
  RefusingApi(live::ApiTransport& inner, std::string resource, int status)
      : inner_(inner), resource_(std::move(resource)), status_(status) {}
  using Answer = EmptyApi::Answer;

  void hold(std::string resource) {
    const std::lock_guard lock(mutex_);
    held_ = std::move(resource);
  }
  void grant() { status_ = 200; }

  Answer call(const std::string& server, const live::ApiRequest& request, std::chrono::milliseconds limit,
              const std::stop_token& stop) override {
    while (is_held(request.path)) {
      if (stop.stop_requested())
        return std::unexpected(live::TransportError{live::TransportError::Kind::kStopped, "stopped"});
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    if (const int status = status_; status != 200 && request.path.contains(resource_))
      return live::ApiResponse{.status = status, .body = R"({"kind":"Status","message":"no"})"};
    return inner_.call(server, request, limit, stop);
  }
  Answer stream(const std::string& server, const live::ApiRequest& request, std::chrono::milliseconds limit,
                std::chrono::milliseconds idle, const OnPiece& on_piece,
                const std::stop_token& stop) override {
    return inner_.stream(server, request, limit, idle, on_piece, stop);
  }

 private:
  bool is_held(const std::string& path) {
    const std::lock_guard lock(mutex_);
    return !held_.empty() && path.contains(held_);
  }
  live::ApiTransport& inner_;
  const std::string resource_;
  std::atomic<int> status_;
  std::mutex mutex_;
  std::string held_;
};

/// A cache of nodes, pods and one more kind, which is refused.
struct RefusingBed {
  RefusingBed(WatchedKinds kind, const std::string& resource, int status) : refusing(api, resource, status) {
    source.emplace(
        State::Options(), kind_of<Node> | kind_of<Pod> | kind,
        live::LiveCluster::Shared{servers, refusing, live::system_clock(), observer, [](auto, auto) {}});
  }
  bool is_complete() { return source->incomplete().empty() && source->cache().read().whole(); }
  live::ReflectorStatus status_of(std::string_view resource) const {
    for (const auto& [one, status] : source->cluster()->statuses())
      if (one.name == resource) return status;
    return {};
  }

  EmptyApi api;
  RefusingApi refusing;
  live::ApiServers servers{{"https://a"}, live::system_clock()};
  Metrics metrics{"", ""};
  LiveObserver observer{metrics.live()};
  std::optional<CacheSource> source;  ///< Its threads end first.
};

}  // namespace

TEST_CASE("a picture that was lost is listed again by all reflectors, whoever has torn it") {
  EmptyApi api;
  CountingApi counting(api);
  live::ApiServers servers{{"https://a"}, live::system_clock()};
  Metrics metrics{"", ""};
  LiveObserver observer{metrics.live()};
  CacheSource source({}, kind_of<Node> | kind_of<Pod> | kind_of<StorageClass>,
                     {servers, counting, live::system_clock(), observer, [](auto, auto) {}});
  source.start();
  REQUIRE(eventually([&] { return source.incomplete().empty(); }));
  const std::size_t kinds = source.cluster()->statuses().size();
  for (int loss = 1; loss <= 3; ++loss) {
    const int before = counting.fewest(kinds);
    // A call does this, with no reflector at work: all of them wait for an event.
    CHECK_THROWS_AS(source.cache().write_pods([](AssumedPods&) { throw std::bad_alloc(); }), std::bad_alloc);
    CHECK(eventually([&] { return source.incomplete().empty() && source.cache().read().whole(); }));
    CHECK(counting.fewest(kinds) > before);
  }
  CHECK(source.cache().epoch() == 3);
}

TEST_CASE("a kind that the API servers deny, or do not serve, keeps no cache from being complete") {
  struct Row {
    const char* sentence;
    WatchedKinds kind;
    const char* resource;
    int status;
    std::string missing;
  };
  const Row rows[] = {
      {"an optional one is denied", kind_of<DeviceClass>, "deviceclasses", 403,
       "deviceclasses are not read: the API server denies Winnow a right: 403: no"},
      {"an expected one is denied", kind_of<Service>, "services", 403,
       "services are not read: the API server denies Winnow a right: 403: no"},
      {"an expected one is not served", kind_of<CsiDriver>, "csidrivers", 404,
       "csidrivers are not read: no API server serves them: 404: no"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    RefusingBed bed(row.kind, row.resource, row.status);
    bed.source->start();
    REQUIRE(eventually([&] { return bed.is_complete() && !bed.source->missing_rights().empty(); }));
    CHECK(bed.source->missing_rights() == row.missing);
    CHECK(bed.source->denied().empty());
    CHECK(bed.source->stale(std::chrono::seconds(3600)).empty());
    CHECK_THROWS_AS(bed.source->cache().write_pods([](AssumedPods&) { throw std::bad_alloc(); }),
                    std::bad_alloc);
    CHECK(eventually([&] { return bed.is_complete(); }));
  }
}

TEST_CASE("without claims, slices or classes no pod is judged by its devices; without taints it is") {
  for (const int status : {403, 404})
    for (const ResourceKind kind : kAllKinds) {
      if (!needs::kDevices.has(kind)) continue;
      CAPTURE(status);
      const std::string resource(info_of(kind).resource);
      CAPTURE(resource);
      RefusingBed bed(needs::kDevices, resource, status);
      bed.source->start();
      REQUIRE(eventually([&] { return bed.is_complete() && !bed.status_of(resource).unread.empty(); }));
      CHECK(bed.source->missing_rights() ==
            (status == 403 ? resource + " are not read: the API server denies Winnow a right: 403: no" : ""));
      CHECK(bed.source->denied().empty());
      CHECK(bed.source->stale(std::chrono::seconds(3600)).empty());
      const auto knows = [&] { return knows_devices(*bed.source->cache().read()); };
      CHECK(knows() == (kind == kind_of<DeviceTaintRule>));
      if (status == 404 || kind != kind_of<ResourceSlice>) continue;  // One of them is enough to wait for.
      bed.refusing.grant();
      CHECK(eventually([&] { return bed.source->missing_rights().empty() && knows(); }));
    }
}

TEST_CASE("a kind that is granted later is read without a new start") {
  RefusingBed bed(kind_of<Service>, "services", 403);
  bed.source->start();
  REQUIRE(eventually([&] { return bed.is_complete(); }));
  CHECK(bed.status_of("services").unread == "list");
  bed.refusing.grant();
  CHECK(eventually([&] { return bed.status_of("services").synced; }));
  CHECK(eventually([&] { return bed.source->missing_rights().empty(); }));
  CHECK(bed.is_complete());
}

TEST_CASE(
    "a refusal counts when nodes and pods are listed: a server that starts denies all rights at first") {
  RefusingBed bed(kind_of<Service>, "services", 403);
  bed.refusing.hold("/nodes");
  bed.source->start();
  REQUIRE(
      eventually([&] { return bed.status_of("services").unread == "list" && bed.status_of("pods").synced; }));
  CHECK(bed.source->incomplete().contains("waiting for nodes, services"));
  bed.refusing.hold("");
  // It is asked for again, and denied again.
  CHECK(eventually([&] { return bed.is_complete(); }));
  CHECK(*bed.status_of("nodes").first_listed <= bed.status_of("services").unread_at);
}

TEST_CASE("while a lost picture is not listed again, it is not complete") {
  LiveConfigSwitch bed;
  REQUIRE(bed.config_switch.load(rules_of(kReadsFew)));
  REQUIRE(eventually([&] { return bed.config_switch.not_ready().empty(); }));
  const ActiveConfig active = bed.config_switch.active();
  bed.api.forbid("pods");
  CHECK_THROWS_AS(active.cache->write([](State&) { throw std::bad_alloc(); }), std::bad_alloc);
  CHECK_FALSE(active.cache->read().whole());
  CHECK(bed.config_switch.not_ready() != "");
  CHECK(bed.config_switch.unusable().contains("pods"));
  bed.api.forbid("");
  CHECK(eventually([&] { return bed.config_switch.not_ready().empty(); }));
  CHECK(active.cache->read().whole());
}

}  // namespace winnow::test
