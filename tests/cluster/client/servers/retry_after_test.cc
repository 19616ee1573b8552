#include <doctest/doctest.h>

#include "cluster/client/servers/backoff.h"
#include "tests/cluster/client/watch/fake_api_server.h"

namespace winnow::live {
namespace {

using std::chrono::seconds;

struct Tried {
  int asked = 0, told = 0, status = 0;
  Clock::Duration took{};
};

Tried try_with(const ApiResponse& answer, int times, std::size_t servers) {
  SimClock clock;
  Tried tried;
  const RetryAfter retry(clock, [&](const ApiResponse&) { ++tried.told; }, [&] { return servers; });
  const auto last = retry.ask(
      [&]() -> RetryAfter::Answer { return ++tried.asked <= times ? answer : ApiResponse{.status = 200}; },
      {});
  tried.status = last->status;
  tried.took = clock.now().time_since_epoch();
  return tried;
}

}  // namespace

TEST_CASE("an answer with Retry-After is waited for") {
  struct Row {
    const char* sentence;
    ApiResponse answer;
    int times, asked, status;
    Clock::Duration took;
    std::size_t servers = 1;
  };
  const std::string too_large =
      status_json(504, "Timeout", "x", R"({"causes":[{"reason":"ResourceVersionTooLarge"}]})");
  const Row rows[] = {
      {"429 is asked again after as long as it says", {429, "", seconds(3)}, 2, 3, 200, seconds(6)},
      {"503 as well", {503, "", seconds(1)}, 1, 2, 200, seconds(1)},
      {"at most ten times", {429, "", seconds(2)}, 99, 11, 429, seconds(20)},
      {"no header, no wait", {429, "", std::nullopt}, 99, 1, 429, seconds(0)},
      {"404 is final", {404, "", seconds(1)}, 99, 1, 404, seconds(0)},
      {"0 seconds are 1", {429, "", seconds(0)}, 1, 2, 200, seconds(1)},
      {"a day is a minute", {429, "", seconds(86'400)}, 1, 2, 200, seconds(60)},
      {"a server that is behind is not waited for", {504, too_large, seconds(1)}, 99, 1, 504, seconds(0)},
      {"another 504 is", {504, status_json(504, "Timeout", "etcd"), seconds(1)}, 1, 2, 200, seconds(1)},
      {"once, where there are others", {429, "", seconds(2)}, 99, 2, 429, seconds(2), 3},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    const Tried tried = try_with(row.answer, row.times, row.servers);
    CHECK(tried.asked == row.asked);
    CHECK(tried.told == row.asked - 1);
    CHECK(tried.status == row.status);
    CHECK(tried.took == row.took);
  }
}

TEST_CASE("a stop request cuts the wait short") {
  SimClock clock;
  std::stop_source stop;
  stop.request_stop();
  const RetryAfter retry(clock, [](const ApiResponse&) {}, [] { return std::size_t{1}; });
  const auto answer = retry.ask([] { return ApiResponse{429, "", seconds(1)}; }, stop.get_token());
  REQUIRE_FALSE(answer);
  CHECK(answer.error().kind == TransportError::Kind::kStopped);
}

}  // namespace winnow::live
