#include "extender/service/authorization/shared_answers.h"

#include <doctest/doctest.h>

#include "tests/cluster/manual_clock.h"

namespace winnow {
namespace {

struct Shared {
  live::test::ManualClock clock;
  SharedAnswers<std::string> answers{clock, std::chrono::seconds(10), 3};
  std::string told;

  /// @return whether the caller has to ask.
  bool get(const std::string& key) {
    return answers.get(key, [this](const std::string& answer) { told += answer + ' '; });
  }
};

}  // namespace

TEST_SUITE("shared answers") {
  TEST_CASE_FIXTURE(Shared, "the first one asks, and all get the answer, in the order in which they came") {
    CHECK(get("a"));
    CHECK_FALSE(get("a"));
    CHECK(get("b"));
    CHECK_FALSE(get("a"));
    CHECK(told == "");
    answers.put("a", "yes", true);
    CHECK(told == "yes yes yes ");
    CHECK_FALSE(get("a"));
    CHECK(told == "yes yes yes yes ");
    answers.put("b", "no", true);
    CHECK(told == "yes yes yes yes no ");
  }

  TEST_CASE_FIXTURE(Shared, "an answer is kept for its lifetime and no longer") {
    get("a");
    answers.put("a", "yes", true);
    clock.advance(std::chrono::milliseconds(9'999));
    CHECK_FALSE(get("a"));
    clock.advance(std::chrono::milliseconds(1));
    CHECK(get("a"));
    CHECK_FALSE(get("a"));
    CHECK(told == "yes yes ");
    answers.put("a", "no", true);
    CHECK(told == "yes yes no no ");
    clock.advance(std::chrono::milliseconds(9'999));
    CHECK_FALSE(get("a"));
  }

  TEST_CASE_FIXTURE(Shared, "what is not to be kept is told, and asked for again") {
    get("a");
    get("a");
    answers.put("a", "failed", false);
    CHECK(told == "failed failed ");
    CHECK(answers.size() == 0);
    CHECK(get("a"));
  }

  TEST_CASE_FIXTURE(Shared, "of many answers the last ones are kept, and those that are waited for") {
    CHECK(get("waits"));
    for (const char* key : {"a", "b", "c", "d", "e"}) {
      get(key);
      answers.put(key, key, true);
      CHECK(answers.size() <= 4);
    }
    CHECK(get("a"));
    CHECK(get("b"));
    CHECK_FALSE(get("c"));
    CHECK_FALSE(get("e"));
    CHECK_FALSE(get("waits"));
    clock.advance(std::chrono::hours(1));
    answers.put("waits", "at last", true);
    CHECK(answers.size() == 3);  // a and b, which are asked for, and the last.
  }

  TEST_CASE_FIXTURE(Shared, "an answer that was asked for anew outlives the old one's end") {
    get("a");
    answers.put("a", "old", true);
    clock.advance(std::chrono::seconds(10));
    CHECK(get("a"));
    get("b");
    answers.put("b", "b", true);  // Drops what is old, and not what is waited for.
    answers.put("a", "new", true);
    CHECK_FALSE(get("a"));
    CHECK(told == "old b new new ");
  }

  TEST_CASE_FIXTURE(Shared, "who is told may ask") {
    CHECK(answers.get("a", [this](const std::string&) { get("b"); }));
    answers.put("a", "yes", true);
    CHECK_FALSE(get("b"));
    answers.put("b", "done", true);
    CHECK(told == "done done ");
  }
}

}  // namespace winnow
