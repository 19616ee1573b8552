// What readers wait for, and that no waiter is forgotten. Made to run under the thread sanitizer.
#include <doctest/doctest.h>

#include <thread>
#include <vector>

#include "cluster/state/assumed_pods.h"
#include "cluster/state/cluster_cache.h"
#include "cluster/state/state.h"
#include "tests/builders.h"

namespace winnow::test {
namespace {

/// Later than any test lasts.
ChangeNotifier::Time much_later() { return std::chrono::steady_clock::now() + std::chrono::hours(1); }

Pod pending(const std::string& name) {
  Pod made = pod(name).uid("uid-" + name);
  made.metadata.resource_version = "5";
  return made;
}

}  // namespace

TEST_CASE("news are counted, and among them those for other pods") {
  ChangeNotifier news;
  CHECK(news.count().all == 0);
  CHECK(news.count().for_others == 0);
  news.tell(/*for_others=*/true);
  news.tell(/*for_others=*/false);
  news.tell(/*for_others=*/false);
  CHECK(news.count().all == 3);
  CHECK(news.count().for_others == 1);
}

TEST_CASE("nobody waits for what was told before, or for what is over") {
  ChangeNotifier news;
  const ChangeNotifier::Count before = news.count();
  news.tell(/*for_others=*/false);
  news.wait_beyond(before, much_later());
  const ChangeNotifier::Count now = news.count();
  news.wait_beyond(now, std::chrono::steady_clock::now() - std::chrono::seconds(1));
  news.wait_beyond(now, ChangeNotifier::Time{});
  CHECK(news.count().all == 1);
}

TEST_CASE("a wait without news lasts until its time") {
  const ChangeNotifier news;
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(2);
  news.wait_beyond({}, until);
  CHECK(std::chrono::steady_clock::now() >= until);
}

TEST_CASE("every waiter is woken by every kind of news") {
  for (const bool for_others : {true, false}) {
    ChangeNotifier news;
    std::vector<std::jthread> waiters;
    for (int i = 0; i < 3; ++i) waiters.emplace_back([&] { news.wait_beyond({}, much_later()); });
    news.tell(for_others);
    waiters.clear();  // Each has ended, or this does not.
    CHECK(news.count().all == 1);
  }
}

TEST_CASE("no news are missed between a look and the wait") {
  constexpr std::uint64_t kTold = 2000;
  ChangeNotifier news;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 2; ++i)
      threads.emplace_back([&] {
        for (ChangeNotifier::Count seen; seen.all < kTold; seen = news.count())
          news.wait_beyond(seen, much_later());
      });
    for (int i = 0; i < 2; ++i)
      threads.emplace_back([&] {
        for (std::uint64_t told = 0; told < kTold / 2; ++told) news.tell(told % 2 == 0);
      });
  }
  CHECK(news.count().all == kTold);
  CHECK(news.count().for_others == kTold / 2);
}

TEST_CASE("what a picture is told of assumed pods is news where a place is given back") {
  ClusterCache cache{State::Options{}};
  const auto count = [&] { return cache.news().count().for_others; };
  const auto end = [&](const std::string& name) {
    cache.write_pods([&](AssumedPods& pods) {
      pods.release("default", name, "uid-" + name, AssumedOutcome::kBindFailed);
    });
  };
  cache.write([](State& state) { state.set_node(node("a")); });
  CHECK(count() == 0);  // Who writes it says so.
  cache.write_pods([](AssumedPods& pods) { pods.assume(pending("p"), "a", {}); });
  CHECK(count() == 0);
  end("other");
  CHECK(count() == 0);
  end("p");
  CHECK(count() == 1);
  CHECK(cache.news().count().all == 1);
}

}  // namespace winnow::test
