// Which events are written, what they look like, and what becomes of those that cannot be.
#include "cluster/client/servers/pod_events.h"

#include <doctest/doctest.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "cluster/client/servers/api_servers.h"
#include "cluster/client/transport/transport.h"
#include "cluster/text/json_document.h"
#include "tests/cluster/manual_clock.h"

namespace winnow::live {
namespace {

using Answer = std::expected<ApiResponse, TransportError>;

/// Takes events down, and answers with one status. Thread-safe.
class EventTaker final : public ApiTransport {
 public:
  Answer call(const std::string&, const ApiRequest& request, std::chrono::milliseconds,
              const std::stop_token&) override {
    const std::lock_guard lock(mutex_);
    requests_.push_back(request);
    if (status == 0)
      return std::unexpected(TransportError{TransportError::Kind::kUnreachable, "https://one: refused"});
    return ApiResponse{
        status, R"({"kind":"Status","reason":"Forbidden","code":403,"message":"events is forbidden"})", {}};
  }
  Answer stream(const std::string&, const ApiRequest&, std::chrono::milliseconds, std::chrono::milliseconds,
                const OnPiece&, const std::stop_token&) override {
    return std::unexpected(TransportError{});
  }
  std::vector<ApiRequest> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

  std::atomic<int> status = 201;

 private:
  mutable std::mutex mutex_;
  std::vector<ApiRequest> requests_;
};

PodEvent event(const std::string& uid, std::string_view reason = "HeldByGate") {
  return {
      .ns = "shop", .name = "web-" + uid, .uid = uid, .is_warning = true, .reason = reason, .note = "why"};
}

struct EventBed {
  test::ManualClock clock;
  EventTaker api;
  ApiServers servers{{"https://one"}, clock};
  std::mutex mutex;
  std::vector<std::string> failures;
  PodEvents events{
      servers,
      api,
      clock,
      {.controller = "winnow-nominator", .instance = "pod-1", .on_failure = [this](const std::string& why) {
         const std::lock_guard lock(mutex);
         failures.push_back(why);
       }}};

  /// Waits until so many have been sent.
  bool sent(std::size_t count) {
    for (int i = 0; i < 20'000 && api.requests().size() < count; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return api.requests().size() == count;
  }
  bool failed(std::size_t count) {
    for (int i = 0; i < 20'000; ++i) {
      {
        const std::lock_guard lock(mutex);
        if (failures.size() >= count) return failures.size() == count;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  }
};

TEST_SUITE("pod events") {
  TEST_CASE("an event is posted where its pod is") {
    EventBed bed;
    CHECK(bed.events.tell(event("u1")));
    REQUIRE(bed.sent(1));
    const ApiRequest request = bed.api.requests().front();
    CHECK(request.method == "POST");
    CHECK(request.path == "/apis/events.k8s.io/v1/namespaces/shop/events");
    const auto json = load_document(request.body);
    REQUIRE(json);
    const rapidjson::Value& root = json->root();
    CHECK(std::string(root["metadata"]["name"].GetString()).starts_with("web-u1."));
    CHECK(std::string(root["reason"].GetString()) == "HeldByGate");
    CHECK(std::string(root["type"].GetString()) == "Warning");
    CHECK(std::string(root["action"].GetString()) == "Nominating");
    CHECK(std::string(root["note"].GetString()) == "why");
    CHECK(std::string(root["reportingController"].GetString()) == "winnow-nominator");
    CHECK(std::string(root["reportingInstance"].GetString()) == "pod-1");
    CHECK(std::string(root["regarding"]["uid"].GetString()) == "u1");
    CHECK(std::string(root["regarding"]["kind"].GetString()) == "Pod");
  }

  TEST_CASE("the time is a MicroTime, and what is too long is cut") {
    const std::chrono::sys_days day = std::chrono::year(2026) / 3 / 4;
    PodEvent long_one = event(std::string(300, 'x'));
    long_one.is_warning = false;
    for (int i = 0; i < 600; ++i) long_one.note += "\u00e4";
    const auto json = load_document(event_json(long_one, "c", std::string(200, 'i'),
                                               day + std::chrono::hours(5) + std::chrono::microseconds(6)));
    REQUIRE(json);
    CHECK(std::string(json->root()["eventTime"].GetString()) == "2026-03-04T05:00:00.000006Z");
    CHECK(json->root()["note"].GetStringLength() <= 1024);
    CHECK(json->root()["reportingInstance"].GetStringLength() == 128);
    CHECK(std::string(json->root()["metadata"]["name"].GetString()) ==
          "web-" + std::string(226, 'x') + ".18998aac12b73770");
    CHECK(std::string(json->root()["type"].GetString()) == "Normal");
  }

  TEST_CASE("a name that is cut ends as the API wants it") {
    for (const char* const end : {"-", ".", "-.-"}) {
      CAPTURE(end);
      PodEvent odd = event("u");
      odd.name = std::string(227, 'x') + end + std::string(20, 'y');
      odd.name.replace(228, 2, "--");
      const auto json = load_document(event_json(odd, "c", "i", std::chrono::sys_days()));
      REQUIRE(json);
      CHECK(std::string(json->root()["metadata"]["name"].GetString()) == std::string(227, 'x') + ".0");
    }
  }

  TEST_CASE("one of a reason for a pod in five minutes") {
    EventBed bed;
    CHECK(bed.events.tell(event("u1")));
    CHECK_FALSE(bed.events.tell(event("u1")));
    CHECK(bed.events.tell(event("u1", "NominationRefused")));
    CHECK(bed.events.tell(event("u2")));
    bed.clock.advance(PodEvents::kSamePod - std::chrono::seconds(1));
    CHECK_FALSE(bed.events.tell(event("u1")));
    bed.clock.advance(std::chrono::seconds(1));
    CHECK(bed.events.tell(event("u1")));
    CHECK(bed.sent(4));
  }

  TEST_CASE("some at once, and then one a second") {
    EventBed bed;
    unsigned told = 0;
    for (int i = 0; i < 200; ++i) told += bed.events.tell(event("a" + std::to_string(i))) ? 1 : 0;
    CHECK(told == PodEvents::kAtOnce);
    for (int second = 0; second < 3; ++second) {
      bed.clock.advance(PodEvents::kEvery);
      CHECK(bed.events.tell(event("b" + std::to_string(second))));
      CHECK_FALSE(bed.events.tell(event("c" + std::to_string(second))));
    }
    bed.clock.advance(std::chrono::hours(1));
    told = 0;
    for (int i = 0; i < 200; ++i) told += bed.events.tell(event("d" + std::to_string(i))) ? 1 : 0;
    CHECK(told == PodEvents::kAtOnce);
    CHECK(bed.sent(2 * PodEvents::kAtOnce + 3));
  }

  TEST_CASE("a right that is missing is said once, and none is tried for a minute") {
    EventBed bed;
    bed.api.status = 403;
    CHECK(bed.events.tell(event("u1")));
    REQUIRE(bed.failed(1));
    CHECK(bed.failures.front() == "the API server denies Winnow a right: 403 Forbidden: events is forbidden");
    CHECK_FALSE(bed.events.tell(event("u2")));
    bed.clock.advance(PodEvents::kRest);
    bed.api.status = 201;
    CHECK(bed.events.tell(event("u3")));
    CHECK(bed.sent(2));
    bed.api.status = 0;
    CHECK(bed.events.tell(event("u4")));
    REQUIRE(bed.failed(2));
    CHECK(bed.failures.back() == "https://one: refused");
  }

  TEST_CASE("the end does not wait for what is to be sent") {
    test::ManualClock clock;
    EventTaker api;
    ApiServers servers({"https://one"}, clock);
    for (int i = 0; i < 50; ++i) {
      PodEvents events(servers, api, clock, {.controller = "c", .instance = "i", .on_failure = nullptr});
      events.tell(event("u"));
    }
    CHECK(api.requests().size() <= 50);
  }
}

}  // namespace
}  // namespace winnow::live
