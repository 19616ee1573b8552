// Profiles of the process: who gets one, one at a time, and what ends it.
#include "extender/service/profiler.h"

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>

#include "tests/extender/service/running_server.h"

namespace winnow::test {
namespace {

constexpr const char* kPath = "/debug/pprof/profile";

ExtenderServices with(Profiler* profiler) { return {.profiler = profiler}; }

TEST_CASE("without --enable-profiling no profile is taken") {
  const RunningService service(cache_of_size(1));
  const Answer answer = service.get(kPath);
  CHECK(answer.status == 404);
  CHECK(answer.body == "no profile is taken: Winnow runs without --enable-profiling\n");
}

TEST_CASE("seconds that are none are refused") {
  Profiler profiler;
  const RunningService service(cache_of_size(1), default_rule_set(), {}, {}, with(&profiler));
  for (const char* seconds : {"0", "61", "-1", "1.5", "1s", "a", "99999999999999999999"}) {
    CAPTURE(seconds);
    const Answer answer = service.get(std::string(kPath) + "?seconds=" + seconds);
    CHECK(answer.status == 400);
    CHECK(answer.body == "seconds: \"" + std::string(seconds) + "\" is not a whole number from 1 to 60\n");
  }
}

TEST_CASE("a page of another site takes no profile") {
  Profiler profiler;
  const RunningService service(cache_of_size(1), default_rule_set(), {}, {}, with(&profiler));
  // As a browser sends it: what has no body has no Content-Type.
  for (const char* from : {"Sec-Fetch-Site: cross-site\r\n", "Sec-Fetch-Site: same-site\r\n"}) {
    CAPTURE(from);
    CHECK(service.client()
              .ask("GET " + std::string(kPath) + "?seconds=1 HTTP/1.1\r\nHost: localhost\r\n" + from + "\r\n")
              .status == 403);
  }
}

TEST_CASE("a program without the sampler says so, and one with it gives what pprof reads") {
  Profiler profiler;
  const auto profile = profiler.take(std::chrono::milliseconds(10), [] { return false; });
  REQUIRE(profile.has_value() == Profiler::is_built_in());
  if (!profile) {
    CHECK(profile.error() == NoProfile::kFailed);
    return;
  }
  // The header's words: 0, 3 words that follow, version 0, microseconds between samples, 0.
  REQUIRE(profile->size() > 5 * sizeof(std::uint64_t));
  std::array<std::uint64_t, 5> words{};
  std::memcpy(words.data(), profile->data(), sizeof words);
  CHECK(words == std::array<std::uint64_t, 5>{0, 3, 0, 10'000, 0});
  CHECK(profile->contains("r-xp"));  // Of the maps behind the samples.
  CHECK(profiler.take(std::chrono::milliseconds(1), [] { return false; }).has_value());
}

TEST_CASE("a second profile is refused while one is taken, calls go on, and the end of the service ends it") {
  if (!Profiler::is_built_in()) return;
  Profiler profiler;
  const RunningService service(cache_of_size(1), default_rule_set(), {}, {}, with(&profiler));
  Answer first;
  std::jthread asks([&] {
    // Below it is found out by taking one whether one is taken: while that lasts, this one is the second.
    do first = service.get(std::string(kPath) + "?seconds=60");
    while (first.status == 409);
  });
  CHECK(http::test::eventually([&] {
    const auto second = profiler.take(std::chrono::milliseconds(0), [] { return true; });
    return !second && second.error() == NoProfile::kBusy;
  }));
  const Answer second = service.get(std::string(kPath) + "?seconds=1");
  CHECK(second.status == 409);
  CHECK(second.body == "another profile is being taken: one at a time\n");
  CHECK(service.post("/filter", args_with_names({"n0"})).status == 200);
  CHECK(service.get("/rules").status == 200);
  profiler.stop();
  asks.join();
  CHECK(first.status == 503);
  CHECK(first.body == "the profile has ended early: the service is being stopped\n");
  CHECK(service.get(kPath).status == 503);
}

TEST_CASE("a profile ends when nobody waits for it any more") {
  if (!Profiler::is_built_in()) return;
  Profiler profiler;
  int asked = 0;
  const auto profile = profiler.take(std::chrono::hours(1), [&] { return ++asked == 2; });
  CHECK(asked == 2);
  REQUIRE_FALSE(profile);
  CHECK(profile.error() == NoProfile::kStopped);
}

}  // namespace
}  // namespace winnow::test
