// What the order in which kube-scheduler tries pods says of those that it has not tried.
#include "extender/nominate/doubts.h"

#include <doctest/doctest.h>

#include <vector>

namespace winnow::test {
namespace {

using namespace std::chrono_literals;

/// Pods that arrive one after another, and a kube-scheduler that tries some.
struct Told {
  PassedOver::Arrival arrives() { return ++latest; }
  void expect(const std::string& key, std::int32_t priority = 0) {
    arrives();
    passed_over.expect(key, {"", priority}, latest);
  }
  void tried(PassedOver::Arrival arrival, std::int32_t priority = 0, bool is_new = true) {
    passed_over.tried({"", priority, arrival, is_new}, latest, now);
  }
  std::string after(std::chrono::milliseconds time) {
    now += time;
    return passed_over.passed_over(now);
  }

  PassedOver passed_over;
  PassedOver::Arrival latest = 0;
  PassedOver::Time now{1h};
};

}  // namespace

TEST_SUITE("nominations that are passed over") {
  TEST_CASE("a pod that came later is tried, and then kube-scheduler is idle") {
    Told told;
    told.expect("p");
    CHECK(told.after(1h).empty());
    told.tried(told.arrives());
    CHECK(told.after(PassedOver::kGrace - 1ms).empty());
    CHECK(told.after(1ms) == "p");
    CHECK(told.after(1h) == "p");
    SUBCASE("it is expected anew") { told.expect("p"); }
    SUBCASE("it does not stand any more") { told.passed_over.forget("p"); }
    CHECK(told.after(1h).empty());
  }

  TEST_CASE("a stream of pods that come later") {
    Told told;
    told.expect("p");
    for (int i = 0; i < 3; ++i) {
      told.tried(told.arrives());
      if (i < 2) CHECK(told.after(400ms).empty());
    }
    CHECK(told.after(200ms) == "p");
  }

  TEST_CASE("pods that were there before say nothing") {
    Told told;
    const auto before = told.arrives();
    told.expect("p");
    told.tried(before);
    told.tried(before);
    CHECK(told.after(1h).empty());
  }

  TEST_CASE("a kube-scheduler that starts with its pods in another order convicts nobody") {
    Told told;
    std::vector<PassedOver::Arrival> waiting;
    for (int i = 0; i < 1000; ++i) {
      told.expect("p" + std::to_string(i));
      waiting.push_back(told.latest);
    }
    // The youngest first, 100 a second, while others arrive and come behind.
    for (int i = 999; i >= 0; --i) {
      told.passed_over.forget("p" + std::to_string(i));
      told.tried(waiting[static_cast<std::size_t>(i)]);
      told.arrives();
      CHECK(told.after(10ms).empty());
    }
  }

  TEST_CASE("pods that are tried again and again do not make kube-scheduler look busy") {
    Told told;
    const auto refused = told.arrives();
    told.expect("p");
    told.tried(told.arrives());
    for (int i = 0; i < 9; ++i) {
      CHECK(told.after(100ms).empty());
      told.tried(refused, 0, /*is_new=*/false);
    }
    CHECK(told.after(100ms) == "p");
  }

  TEST_CASE("priorities: who comes behind whom") {
    struct Row {
      std::int32_t nominated, tried;
      bool passed_over;
    };
    for (const Row& row : {Row{0, 0, true}, Row{1, 0, true}, Row{0, 1, false}, Row{-5, -6, true}}) {
      CAPTURE(row.nominated);
      CAPTURE(row.tried);
      Told told;
      told.expect("p", row.nominated);
      told.tried(told.arrives(), row.tried);
      CHECK(told.after(1h).empty() != row.passed_over);
    }
  }

  TEST_CASE("each scheduler has a queue of its own") {
    Told told;
    told.passed_over.expect("p", {"one", 0}, told.arrives());
    told.passed_over.expect("q", {"other", 0}, told.latest);
    told.passed_over.tried({"one", 0, told.arrives(), true}, told.latest, told.now);
    CHECK(told.after(1h) == "p");
  }
}

}  // namespace winnow::test
