// Whose token it is, and what its user may do: asked once by many, for a while.
#include "extender/service/authorization/token_access.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "cluster/client/servers/api_servers.h"
#include "extender/service/metrics/metrics.h"
#include "tests/cluster/manual_clock.h"
#include "tests/extender/service/authorization/fake_reviews.h"
#include "tests/extender/service/log/captured_log.h"
#include "tests/failing_memory.h"

namespace winnow::test::token_access_test {
namespace {

using Said = TokenVerdict::Said;

struct Bed {
  explicit Bed(const TokenAccessLimits& limits = {})
      : access(std::make_unique<TokenAccess>(reviewer, clock, metrics.live(), limits)) {
    api.users = {{"good", "prometheus"}, {"poor", "nobody"}};
    api.rights = {"prometheus get /metrics", "prometheus post /explain"};
  }

  std::future<TokenVerdict> begin(const std::string& token, const std::string& verb = "get",
                                  const std::string& path = "/metrics",
                                  const std::string& remote = "10.0.0.1:4000") {
    auto promise = std::make_shared<std::promise<TokenVerdict>>();
    auto verdict = promise->get_future();
    access->judge(token, verb, path, remote,
                  [promise](const TokenVerdict& said) { promise->set_value(said); });
    return verdict;
  }
  TokenVerdict judge(const std::string& token, const std::string& verb = "get",
                     const std::string& path = "/metrics") {
    return begin(token, verb, path).get();
  }
  std::string reviews(const std::string& review, const std::string& result) const {
    const std::string page = metrics.render();
    const std::string series =
        "\nwinnow_access_reviews_total{result=\"" + result + "\",review=\"" + review + "\"} ";
    const std::size_t at = page.find(series);
    return at == std::string::npos
               ? "none"
               : page.substr(at + series.size(), page.find('\n', at + 1) - at - series.size());
  }

  live::test::ManualClock clock;
  FakeReviews api;
  live::ApiServers servers{{"https://one"}, clock};
  live::AccessReviewer reviewer{servers, api, clock};
  Metrics metrics{"", ""};
  std::unique_ptr<TokenAccess> access;
};

TEST_SUITE("token access") {
  TEST_CASE("a token opens what its user may, and nothing else") {
    Bed bed;
    const TokenVerdict allowed = bed.judge("good");
    CHECK(allowed.said == Said::kAllowed);
    CHECK(allowed.user == "prometheus");
    CHECK(bed.judge("good", "post", "/explain").said == Said::kAllowed);
    const TokenVerdict forbidden = bed.judge("good", "get", "/rules");
    CHECK(forbidden.said == Said::kForbidden);
    CHECK(forbidden.user == "prometheus");
    CHECK(forbidden.reason == "no RBAC policy matched");
    CHECK(bed.judge("poor").said == Said::kForbidden);
    const TokenVerdict unknown = bed.judge("bad");
    CHECK(unknown.said == Said::kUnauthenticated);
    CHECK(unknown.user == "");
    CHECK(unknown.reason == "invalid bearer token");
    CHECK(bed.api.tokens_asked == 3);
    CHECK(bed.api.rights_asked == 4);
    CHECK(bed.reviews("TokenReview", "yes") == "2");
    CHECK(bed.reviews("TokenReview", "no") == "1");
    CHECK(bed.reviews("SubjectAccessReview", "yes") == "2");
    CHECK(bed.reviews("SubjectAccessReview", "no") == "2");
  }

  TEST_CASE("an error about a token is not kept") {
    Bed bed;
    bed.api.unknown_says = "the authenticator's backend is away";
    CHECK(bed.judge("late").said == Said::kUnauthenticated);
    bed.api.users["late"] = "prometheus";
    CHECK(bed.judge("late").said == Said::kAllowed);
    CHECK(bed.api.tokens_asked == 2);
  }

  TEST_CASE("while too many wait, kept answers are still given") {
    Bed bed({.reviews = 1, .waiting = 2});
    bed.api.unknown_says.clear();
    CHECK(bed.judge("good").said == Said::kAllowed);
    CHECK(bed.judge("bad").said == Said::kUnauthenticated);
    bed.api.hold();
    const auto first = bed.begin("worse"), second = bed.begin("worst");
    CHECK(bed.judge("good").said == Said::kAllowed);
    CHECK(bed.judge("bad").said == Said::kUnauthenticated);
    CHECK(bed.judge("another").said == Said::kBusy);
    CHECK(bed.reviews("TokenReview", "shed") == "1");
    bed.api.go();
    first.wait();
    second.wait();
    bed.clock.advance(std::chrono::seconds(10));
    CHECK(bed.judge("good").said == Said::kAllowed);
    CHECK(bed.api.tokens_asked == 5);
  }

  TEST_CASE("one client's unknown tokens leave places to others, whatever its ports") {
    Bed bed({.reviews = 1, .waiting = 20, .waiting_of_client = 5});
    bed.api.hold();
    std::vector<std::future<TokenVerdict>> waiting;
    for (int i = 0; i < 5; ++i)
      waiting.push_back(
          bed.begin("t" + std::to_string(i), "get", "/metrics", "10.0.0.1:" + std::to_string(i)));
    CHECK(bed.begin("t5", "get", "/metrics", "10.0.0.1:5").get().said == Said::kBusy);
    auto other = bed.begin("good", "get", "/metrics", "10.0.0.2:1");
    auto of_network = bed.begin("t6", "get", "/metrics", "[2001:db8::1]:1");
    bed.api.go();
    CHECK(other.get().said == Said::kAllowed);
    CHECK(of_network.get().said == Said::kUnauthenticated);
    for (auto& one : waiting) CHECK(one.get().said == Said::kUnauthenticated);
    CHECK(bed.judge("t7").said == Said::kUnauthenticated);  // The places are given back.
  }

  TEST_CASE("a token that was good lately has a place, and goes before unknown ones of its own client") {
    Bed bed({.reviews = 1, .waiting = 50, .waiting_of_client = 30});
    bed.api.unknown_says.clear();
    CHECK(bed.judge("good").said == Said::kAllowed);
    bed.clock.advance(std::chrono::seconds(11));
    bed.api.hold();
    std::vector<std::future<TokenVerdict>> unknown;
    for (int i = 0; i < 30; ++i) unknown.push_back(bed.begin("random-" + std::to_string(i)));
    CHECK(bed.judge("one-more").said == Said::kBusy);
    bed.api.wait_for(1);
    auto good = bed.begin("good");
    CHECK(good.wait_for(std::chrono::seconds(0)) == std::future_status::timeout);
    bed.api.let(3);  // The one that is in flight, and both reviews of the good one.
    CHECK(good.get().said == Said::kAllowed);
    CHECK(bed.api.tokens_asked <= 4);
    bed.api.go();
    for (auto& one : unknown) CHECK(one.get().said == Said::kUnauthenticated);
  }

  TEST_CASE("each answer holds for ten seconds, yes or no") {
    Bed bed;
    bed.api.unknown_says.clear();
    const auto judge_all = [&] {
      return std::vector{bed.judge("good").said, bed.judge("poor").said, bed.judge("bad").said};
    };
    const std::vector before = {Said::kAllowed, Said::kForbidden, Said::kUnauthenticated};
    CHECK(judge_all() == before);
    bed.api.users = {{"bad", "prometheus"}};
    bed.api.rights = {"prometheus get /metrics", "nobody get /metrics"};
    bed.clock.advance(std::chrono::milliseconds(9'999));
    CHECK(judge_all() == before);
    CHECK(bed.api.tokens_asked == 3);
    CHECK(bed.api.rights_asked == 2);
    bed.clock.advance(std::chrono::milliseconds(1));
    CHECK(judge_all() == std::vector{Said::kUnauthenticated, Said::kUnauthenticated, Said::kAllowed});
    CHECK(bed.api.tokens_asked == 6);
  }

  TEST_CASE("who asks at the same time asks once") {
    Bed bed;
    bed.api.hold();
    std::vector<std::future<TokenVerdict>> verdicts;
    for (int i = 0; i < 100; ++i) verdicts.push_back(bed.begin("good"));
    for (int i = 0; i < 50; ++i) verdicts.push_back(bed.begin("good", "post", "/explain"));
    bed.api.wait_for(1);
    bed.api.go();
    for (auto& verdict : verdicts) CHECK(verdict.get().said == Said::kAllowed);
    CHECK(bed.api.tokens_asked == 1);
    CHECK(bed.api.rights_asked == 2);
  }

  TEST_CASE("many threads that ask at once get their own answers") {
    Bed bed;
    for (int i = 0; i < 20; ++i) bed.api.users["t" + std::to_string(i)] = "u" + std::to_string(i);
    for (int i = 0; i < 20; i += 2) bed.api.rights.insert("u" + std::to_string(i) + " get /metrics");
    std::vector<std::jthread> threads;
    std::atomic<int> right = 0;
    for (int thread = 0; thread < 4; ++thread)
      threads.emplace_back([&] {
        for (int i = 0; i < 20; ++i) {
          const TokenVerdict verdict = bed.judge("t" + std::to_string(i));
          const Said expected = i % 2 == 0 ? Said::kAllowed : Said::kForbidden;
          if (verdict.said == expected && verdict.user == "u" + std::to_string(i)) ++right;
        }
      });
    threads.clear();
    CHECK(right == 80);
    CHECK(bed.api.tokens_asked == 20);
    CHECK(bed.api.rights_asked == 20);
  }

  TEST_CASE("an API server that does not say opens nothing, and is asked again") {
    Bed bed;
    bed.api.down = true;
    CHECK(bed.judge("good").said == Said::kFailed);
    CHECK(bed.judge("good").said == Said::kFailed);
    CHECK(bed.api.tokens_asked == 2);
    CHECK(bed.reviews("TokenReview", "failed") == "2");
    bed.api.down = false;
    CHECK(bed.judge("good").said == Said::kAllowed);
    bed.api.down = true;
    CHECK(bed.judge("good", "get", "/rules").said == Said::kFailed);  // Who it is was kept.
    CHECK(bed.reviews("SubjectAccessReview", "failed") == "1");
    CHECK(bed.judge("good").said == Said::kAllowed);
  }

  TEST_CASE("a review that throws, as for want of memory, fails, and the next one is made") {
    Bed bed({.reviews = 1});
    bed.api.no_memory = true;
    CHECK(bed.judge("good").said == Said::kFailed);
    bed.api.no_memory = false;
    CHECK(bed.judge("good").said == Said::kAllowed);
    bed.api.no_memory = true;
    CHECK(bed.judge("good", "post", "/explain").said == Said::kFailed);
    bed.api.no_memory = false;
    CHECK(bed.judge("good", "post", "/explain").said == Said::kAllowed);
  }

  TEST_CASE("wherever memory fails a caller, it is answered, and the next one is") {
    Bed bed({.waiting = 2});
    bool failed = true;
    for (std::uint64_t passes = 0; failed; ++passes) {
      CAPTURE(passes);
      const std::string token = "token-that-is-longer-than-a-short-string-" + std::to_string(passes);
      bed.api.users[token] = "prometheus";
      auto said = std::make_shared<std::promise<TokenVerdict>>();
      auto verdict = said->get_future();
      bool thrown = false;
      const TokenAccess::Done done = [said](const TokenVerdict& one) {
        const TestCode scope;
        said->set_value(one);
      };
      const std::uint64_t before = failed_allocations();
      try {
        const CodeUnderTest scope;
        fail_memory(passes);
        bed.access->judge(token, "get", "/metrics", "10.0.0.1:4000", done);
      } catch (const std::bad_alloc&) {
        thrown = true;
      }
      mend_memory();
      failed = failed_allocations() > before;
      if (!thrown) CHECK(verdict.wait_for(std::chrono::minutes(1)) == std::future_status::ready);
      auto next = bed.begin(token);
      REQUIRE(next.wait_for(std::chrono::minutes(1)) == std::future_status::ready);
      CHECK(next.get().said == Said::kAllowed);
    }
  }

  TEST_CASE("so many reviews are in flight, so many callers wait, and others are turned away at once") {
    Bed bed({.reviews = 2, .waiting = 5});
    bed.api.hold();
    std::vector<std::future<TokenVerdict>> verdicts;
    for (const char* token : {"good", "good", "bad", "worse", "worst"}) verdicts.push_back(bed.begin(token));
    CHECK(bed.judge("good").said == Said::kBusy);
    CHECK(bed.judge("another").said == Said::kBusy);
    CHECK(bed.reviews("TokenReview", "shed") == "2");
    bed.api.wait_for(2);
    bed.api.go();
    std::vector<Said> kinds;
    for (auto& verdict : verdicts) kinds.push_back(verdict.get().said);
    CHECK(kinds == std::vector{Said::kAllowed, Said::kAllowed, Said::kUnauthenticated, Said::kUnauthenticated,
                               Said::kUnauthenticated});
    CHECK(bed.api.most_at_once() == 2);
    CHECK(bed.judge("good").said == Said::kAllowed);
  }

  TEST_CASE("a review that was wanted too long ago is not begun") {
    Bed bed({.reviews = 1});
    bed.api.hold();
    auto first = bed.begin("good");
    bed.api.wait_for(1);
    auto second = bed.begin("poor");
    bed.clock.advance(std::chrono::seconds(5));
    bed.api.go();
    CHECK(second.get().said == Said::kFailed);
    CHECK(first.get().said == Said::kAllowed);
    CHECK(bed.api.tokens_asked == 1);
  }

  TEST_CASE("the end does not wait for an API server, and tells nobody") {
    Bed bed({.reviews = 1});
    bed.api.hold();
    std::atomic<int> told = 0;
    for (const char* token : {"good", "bad", "worse"})
      bed.access->judge(token, "get", "/metrics", "10.0.0.1:4000", [&](const TokenVerdict&) { ++told; });
    bed.api.wait_for(1);
    bed.access.reset();
    CHECK(told == 0);
  }

  TEST_CASE("what fails is logged a few times, without the token") {
    Bed bed;
    bed.api.down = true;
    std::string text;
    {
      const CapturedLog log;
      for (int i = 0; i < 50; ++i) bed.judge("secret-token");
      bed.judge("secret-too");
      text = log.text();
    }
    CHECK(std::ranges::count(text, '\n') == LogRate::kAtOnce);
    CHECK(text.contains(
        "msg=\"token not judged: the door stays shut\" review=TokenReview error=\"the API server "
        "denies Winnow a right: 403: no reviews today\" left_out=0\n"));
    CHECK_FALSE(text.contains("secret"));
    CHECK(bed.reviews("TokenReview", "failed") == "51");
  }
}

}  // namespace
}  // namespace winnow::test::token_access_test
