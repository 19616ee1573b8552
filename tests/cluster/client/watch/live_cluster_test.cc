// The reflectors of a cache, each in its thread.
#include "cluster/client/watch/live_cluster.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <new>
#include <stop_token>

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

/// Denies one resource.
class DenyingApi final : public live::ApiTransport {
 public:
  DenyingApi(live::ApiTransport& inner, std::string resource)
      : inner_(inner), resource_(std::move(resource)) {}
  using Answer = EmptyApi::Answer;

  Answer call(const std::string& server, const live::ApiRequest& request, std::chrono::milliseconds limit,
              const std::stop_token& stop) override {
    if (request.path.contains(resource_))
      return live::ApiResponse{.status = 403,
                               .body = R"({"kind":"Status","code":403,"reason":"Forbidden","message":"no"})"};
    return inner_.call(server, request, limit, stop);
  }
  Answer stream(const std::string& server, const live::ApiRequest& request, std::chrono::milliseconds limit,
                std::chrono::milliseconds idle, const OnPiece& on_piece,
                const std::stop_token& stop) override {
    return inner_.stream(server, request, limit, idle, on_piece, stop);
  }

 private:
  live::ApiTransport& inner_;
  const std::string resource_;
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

TEST_CASE("an optional kind that the API servers deny keeps no picture from being complete") {
  EmptyApi api;
  DenyingApi denying(api, "deviceclasses");
  live::ApiServers servers{{"https://a"}, live::system_clock()};
  Metrics metrics{"", ""};
  LiveObserver observer{metrics.live()};
  CacheSource source({}, kind_of<Node> | kind_of<Pod> | kind_of<DeviceClass>,
                     {servers, denying, live::system_clock(), observer, [](auto, auto) {}});
  source.start();
  const auto complete = [&] { return source.incomplete().empty() && source.cache().read().whole(); };
  REQUIRE(eventually([&] { return complete() && !source.missing_rights().empty(); }));
  CHECK(source.missing_rights() ==
        "deviceclasses are not read: the API server denies Winnow a right: 403 Forbidden: no");
  CHECK(source.denied().empty());
  CHECK(source.stale(std::chrono::seconds(3600)).empty());
  CHECK_THROWS_AS(source.cache().write_pods([](AssumedPods&) { throw std::bad_alloc(); }), std::bad_alloc);
  CHECK(eventually(complete));
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
