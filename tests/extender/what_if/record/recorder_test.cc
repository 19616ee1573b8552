// What becomes of calls and changes where they cannot be recorded. That a recording is right is in
// tests/extender/what_if/replay.
#include "extender/what_if/record/recorder.h"

#include <doctest/doctest.h>

#include <chrono>
#include <format>
#include <memory>
#include <string>
#include <utility>

#include "cluster/api/kinds.h"
#include "cluster/state/cluster_cache.h"
#include "extender/service/scheduling/decision_lock.h"
#include "extender/service/scheduling/live_memory.h"
#include "extender/service/scheduling/services.h"
#include "extender/service/verbs/routes.h"
#include "extender/what_if/record/format.h"
#include "tests/cluster/client/transport/temp_folder.h"
#include "tests/failing_memory.h"

namespace winnow::test {
namespace {

/// When calls begin.
const std::chrono::system_clock::time_point kBegan{std::chrono::seconds(1)};

using live::test::TempFolder;

std::unique_ptr<Recorder> open_recorder_in(const TempFolder& folder, std::size_t queued) {
  return Recorder::open({.dir = folder.path("r"), .most_bytes = 64UL << 20, .most_queued = queued}, {}, "")
      .value();
}

/// What calls would have without a recording.
struct Live {
  ExtenderOptions options;
  ExtenderServices services;
  EarlierCalls earlier{options};
  LiveMemory memory{options, services, earlier};
};

}  // namespace

TEST_CASE("memory that is short ends the recording, and no call fails of it") {
  enum class When : std::uint8_t { kBegins, kLooks, kIsAnswered };
  for (const When when : {When::kBegins, When::kLooks, When::kIsAnswered}) {
    CAPTURE(static_cast<int>(when));
    const TempFolder folder;
    const auto recorder = open_recorder_in(folder, 1UL << 20);
    const Live live;
    const auto cache = std::make_shared<ClusterCache>(State::Options{});
    cache->set_journal(recorder->journal_of({}));
    const ActiveConfig active{.engines = nullptr, .cache = cache, .rejections = nullptr};
    const std::string body(1000, 'x');
    std::unique_ptr<CallMemory> memory = recorder->begin(live.memory, "/filter", "", body, kBegan);
    REQUIRE(memory);
    fail_memory(0, 1'000'000);
    {
      const CodeUnderTest code;
      if (when == When::kBegins) memory = recorder->begin(live.memory, "/filter", "", body, kBegan);
      if (when == When::kLooks) memory->looked(active);
      if (when == When::kIsAnswered) memory->answered(200, body);
    }
    mend_memory();
    CHECK(recorder->ended() == "memory was short");
    CHECK((memory == nullptr) == (when == When::kBegins));
  }
}

TEST_CASE("when the recording is over nobody copies for it, and what is lost is counted") {
  const TempFolder folder;
  const auto recorder = open_recorder_in(folder, 4096);
  const Live live;
  const auto journal = recorder->journal_of({});
  const std::unique_ptr<CallMemory> memory = recorder->begin(live.memory, "/filter", "", "{}", kBegan);
  CHECK(journal->wants_text());
  journal->set(kind_of<Pod>, "shop", "p", std::string(5000, ' '));
  CHECK(recorder->ended() == "more than 4096 bytes waited to be written");
  CHECK(recorder->lost_lines() == 1);

  CHECK_FALSE(journal->wants_text());
  CHECK(recorder->begin(live.memory, "/filter", "", "{}", kBegan) == nullptr);
  CHECK(recorder->lost_lines() == 2);
  const std::string large(100'000, ' ');
  fail_memory(0, 1'000'000);
  const std::uint64_t failed = failed_allocations();
  {
    const CodeUnderTest code;
    memory->answered(200, large);
    journal->set(kind_of<Pod>, "shop", "p", large);
  }
  mend_memory();
  CHECK(failed_allocations() == failed);
  CHECK(recorder->lost_lines() == 4);
}

TEST_CASE("objects of files wait for the disk, however many they are") {
  const TempFolder folder;
  const auto recorder = open_recorder_in(folder, 64UL << 10);
  {
    const auto journal = recorder->journal_of({});
    const std::string text = R"({"kind":"Pod","metadata":{"name":")" + std::string(5000, 'x') + R"("}})";
    for (int i = 0; i < 2000; ++i) journal->given(text);
  }
  CHECK(recorder->ended() == "");
  CHECK(recorder->lines() == 2002);
}

TEST_CASE("each call with a body is recorded, but for those of Winnow's own page") {
  for (const Route& route : routes()) {
    CAPTURE(route.path);
    const bool has_body = static_cast<Body>(route.body) != Body::kEmpty;
    CHECK(is_recorded(route.path) == (has_body && !route.path.starts_with("/page/")));
  }
}

TEST_CASE("pages for people are not recorded") {
  const TempFolder folder;
  const Live live;
  const auto recorder = open_recorder_in(folder, 1UL << 20);
  for (const std::string_view path : kRecordedPaths)
    CHECK(recorder->begin(live.memory, path, "", "{}", kBegan) != nullptr);
  for (const char* const path : {"/", "/metrics", "/page/waiting", "/decisions", ""})
    CHECK(recorder->begin(live.memory, path, "", "{}", kBegan) == nullptr);
}

}  // namespace winnow::test
