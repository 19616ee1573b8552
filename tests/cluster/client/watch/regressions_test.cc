// Defects that users of other clients have reported, each as a test.
#include <doctest/doctest.h>

#include "tests/cluster/client/watch/live_seed.h"
#include "tests/cluster/client/watch/script.h"

namespace winnow::live {
namespace {

using Error = TransportError::Kind;

std::deque<Step> many(std::deque<Step> steps, const Step& step, int times) {
  for (int i = 0; i < times; ++i) steps.push_back(step);
  return steps;
}

double minutes_taken(const Script& script) {
  return std::chrono::duration<double, std::ratio<60>>(script.asked.back().at.time_since_epoch()).count();
}

}  // namespace

TEST_CASE("regression: a stream that dies silently is noticed (JS #364, python #801, C# #515, Ruby #512)") {
  Script script;
  script.run({page("5", {}), breaks(stream({}, 90), Error::kTimeout), page("5", {}), stream({added("a@6")})});
  CHECK(script.story() == "list, watch from 5, probe from 5, watch from 5");
  CHECK(script.objects() == "a@6");
}

TEST_CASE("regression: no limit on the whole of a watch kills it (C# #533, kube-rs #1798)") {
  Script script;
  ReflectorStatus status;
  script.clock.at(after(599), [&] { status = script.reflector.status(); });
  script.run({page("5", {}), stream({added("a@6")}, 600), stream({})});
  CHECK(status.connected);
  CHECK(script.sink.count(WatchError::kTimeout) == 0);
}

TEST_CASE("regression: a version that no API server can have is no version, wherever it stands") {
  const std::string far = "99999999999999999999999";
  for (const std::string& line : {bookmark(far), added("b@" + far), modified("a@" + far)}) {
    CAPTURE(line);
    Script script;
    script.run({page("5", {"a@5"}), stream({line}), page("6", {"a@6"}), stream({added("c@7")})});
    CHECK(script.story() == "list, watch from 5, list from 5, watch from 6");
    CHECK(script.objects() == "a@6 c@7");
    CHECK(script.sink.count(WatchError::kMalformed) == 1);
  }
  Script script;
  script.run({page(far, {"a@5"}), page("6", {"a@6"}), stream({})});
  CHECK(script.story() == "list, list, watch from 6");
  CHECK(script.sink.count(WatchError::kMalformed) == 1);
}

TEST_CASE("regression: the resource version is the list's, not an item's (python #819, #2223)") {
  Script script;
  script.run({page("100", {"a@3", "b@99"}), stream({})});
  CHECK(script.story() == "list, watch from 100");
}

TEST_CASE(
    "regression: ERROR event parsed as a Pod, \"None\" as its resource version (python-base #199, beats "
    "#6504)") {
  Script script;
  script.run({page("5", {"a@5"}), stream({error(500, "InternalError", "etcd went away")}), page("6", {"a@5"}),
              stream({})});
  CHECK(script.story() == "list, watch from 5, list from 5, watch from 6");
  CHECK(script.objects() == "a@5");
  CHECK(script.reflector.status().resource_version == "6");
}

TEST_CASE(
    "regression: 410 resets the resource version, no endless loop (kube-rs #1042, k/k#3216, fabric8 #7896)") {
  Script script;
  script.run({page("5", {}), says(410, "Gone"), says(410, "Gone"), page("900", {"a@899"}), stream({})});
  CHECK(script.story() == "list, watch from 5, list from 5, list, watch from 900");
}

TEST_CASE(
    "regression: \"Too large resource version\" after a failover is no loop (k/k#91073, #94315, #107133)") {
  for (const Step& step :
       {says(504, "Timeout", "x", R"({"causes":[{"reason":"ResourceVersionTooLarge","message":"x"}]})"),
        says(504, "Timeout", "x", R"({"causes":[{"message":"Too large resource version"}]})"),
        says(504, "Timeout", "Timeout: Too large resource version: 5, current: 4")}) {
    Script script;
    script.run({page("5", {}), stream({error(410, "Gone")}), step, page("5", {"a@5"}), stream({})});
    CHECK(script.story() == "list, watch from 5, list from 5, list, watch from 5");
  }
}

TEST_CASE("regression: no page of the first list is skipped (kube-rs #1524)") {
  Script script;
  std::deque<Step> steps;
  for (int i = 0; i < 50; ++i)
    steps.push_back(page("900", {"p" + std::to_string(i) + "@1", "q" + std::to_string(i) + "@1"},
                         i < 49 ? "t" + std::to_string(i) : ""));
  steps.push_back(stream({}));
  script.run(steps);
  CHECK(script.sink.objects.size() == 100);
  CHECK(script.sink.lists == 1);
}

TEST_CASE("regression: a reconnect storm, tens of watches a second (JS #1933)") {
  Script script;
  script.run(many({page("5", {})}, breaks(stream({}, 0)), 100));
  CHECK(minutes_taken(script) > 30);
}

TEST_CASE("regression: reconnects without progress (fabric8 #7365)") {
  // Each stream sends an event, but none that is new.
  Script script;
  script.run(many({page("5", {})}, stream({bookmark("5")}, 2), 100));
  CHECK(minutes_taken(script) > 30);
}

TEST_CASE("regression: nothing is kept per reconnect (JS #494, fabric8 #974, kubespawner #165)") {
  // A transport call returns before the next is made: never two streams of one reflector.
  class Counting final : public ApiTransport {
   public:
    explicit Counting(ApiTransport& inner) : inner_(inner) {}
    std::expected<ApiResponse, TransportError> call(const std::string& server, const ApiRequest& request,
                                                    std::chrono::milliseconds limit,
                                                    const std::stop_token& stop) override {
      CHECK(open_ == 0);
      return inner_.call(server, request, limit, stop);
    }
    std::expected<ApiResponse, TransportError> stream(const std::string& server, const ApiRequest& request,
                                                      std::chrono::milliseconds limit,
                                                      std::chrono::milliseconds idle, const OnPiece& on_piece,
                                                      const std::stop_token& stop) override {
      CHECK(open_++ == 0);
      auto answer = inner_.stream(server, request, limit, idle, on_piece, stop);
      --open_;
      return answer;
    }

   private:
    ApiTransport& inner_;
    int open_ = 0;
  };
  const SeededWorld seeded(3);
  SimReflector run(seeded.world, seeded.world.resources[1], 3);
  Counting counting(run.transport);
  Reflector reflector(run.resource, run.sink, run.servers, counting, run.clock, run.sink, 1);
  std::stop_source stop;
  run.clock.at(seeded.end, [&] { stop.request_stop(); });
  reflector.run(stop.get_token());
  CHECK(run.sink.watches > 3);
}

TEST_CASE("regression: however a watch ends, another follows (fabric8 #2992)") {
  for (const Step& end :
       {stream({}), stream({}, 0), breaks(stream({})), breaks(stream({}), Error::kTimeout),
        breaks(stream({}, 0)), stream({"\n\n"}), stream({"{"}), stream({"]\n"}), stream({error(500, "")}),
        says(500, ""), body(200, ""), body(302, ""), body(0, "")}) {
    Script script;
    script.run({page("5", {}), end, page("6", {}), stream({}), stream({}), stream({}), stream({})});
    CHECK(script.asked.size() == 7);
  }
}

TEST_CASE("regression: an object that is told twice is there once (kube-rs #286)") {
  Script script;
  script.run({page("5", {"a@5"}), stream({added("a@5") + added("a@5"), added("a@6")}), stream({})});
  CHECK(script.objects() == "a@6");
}

TEST_CASE("regression: 429 while a server starts is waited out (java-operator-sdk #2526, KEP-4568)") {
  Script script;
  script.run(many({}, with_retry_after(says(429, "TooManyRequests", "storage is (re)initializing"), 1), 34));
  CHECK(script.asked.size() == 34);
  CHECK(minutes_taken(script) < 2);
  Script watching;
  watching.run({page("5", {"a@5"}), with_retry_after(says(429, "TooManyRequests"), 1), stream({})});
  CHECK(watching.story() == "list, watch from 5, watch from 5");
}

TEST_CASE("regression: after an outage what went meanwhile is gone (kube-state-metrics #694)") {
  Script script;
  auto steps = many({page("5", {"a@1", "b@2"})}, fails(Error::kUnreachable), 20);
  steps.push_back(says(410, "Expired"));
  steps.push_back(page("900", {"b@2"}));
  steps.push_back(stream({}));
  script.run(steps);
  CHECK(script.objects() == "b@2");
}

TEST_CASE("regression: ten thousand pods that went while nobody heard are released") {
  Script script;
  std::vector<std::string> pods;
  for (int i = 0; i < 10'000; ++i) pods.push_back("p" + std::to_string(i) + "@1");
  script.run({page("5", pods), says(410, "Expired"), page("9", {"last@8"}), stream({})});
  CHECK(script.objects() == "last@8");
}

}  // namespace winnow::live
