// Pauses after nominations that come to nothing, and when one that stands is doubted.
#include "extender/nominate/retry_policy.h"

#include <doctest/doctest.h>

#include <vector>

#include "tests/extender/nominate/told_pods.h"

namespace winnow::test {
namespace {

using namespace std::chrono_literals;
using retry::History;

constexpr retry::Time kMissedAt{1h};

/// The pauses of so many misses in a row by the same event.
std::vector<std::chrono::seconds> pauses_after(NominationEvent event, int times) {
  std::vector<std::chrono::seconds> pauses;
  History history;
  for (int i = 0; i < times; ++i) {
    history = retry::after_miss(history, /*stood=*/false, event, kMissedAt);
    pauses.push_back(std::chrono::duration_cast<std::chrono::seconds>(history.not_before - kMissedAt));
  }
  return pauses;
}

}  // namespace

TEST_SUITE("the retry policy") {
  using Pauses = std::vector<std::chrono::seconds>;

  TEST_CASE("pauses double, up to the longest") {
    using enum NominationEvent;
    CHECK(pauses_after(kNoLongerFits, 5) == Pauses{0s, 1s, 2s, 4s, 8s});
    CHECK(pauses_after(kRefused, 4) == Pauses{1s, 1s, 2s, 4s});  // kube-scheduler rests for a second.
    CHECK(pauses_after(kUnfollowed, 3) == Pauses{1s, 1s, 2s});
    CHECK(pauses_after(kPassedOver, 6) == Pauses{16s, 32s, 64s, 128s, 256s, 300s});
    CHECK(pauses_after(kCleared, 1000).back() == retry::kLongestPause);
  }

  TEST_CASE("what is denied is tried again after the same pause, and is no miss") {
    for (const NominationEvent event : {NominationEvent::kDenied, NominationEvent::kGateStays}) {
      const History after = retry::after_miss({.misses = 3}, /*stood=*/true, event, kMissedAt);
      CHECK(after.not_before == kMissedAt + retry::kPause);
      CHECK(after.misses == 3);
    }
  }

  TEST_CASE("a nomination that stood for long begins a new row") {
    const History before{.misses = 5, .nominated_since = kMissedAt - retry::kLongestPause - 1ns};
    CHECK(retry::after_miss(before, true, NominationEvent::kCleared, kMissedAt).misses == 1);
    CHECK(retry::after_miss(before, false, NominationEvent::kCleared, kMissedAt).misses == 6);
    const History later{.misses = 5, .nominated_since = kMissedAt - retry::kLongestPause};
    CHECK(retry::after_miss(later, true, NominationEvent::kCleared, kMissedAt).misses == 6);
  }

  TEST_CASE("a pod that changes is as a new one, for its pauses") {
    const History after =
        retry::after_change({.misses = 5, .not_before = kMissedAt, .trusted_until = kMissedAt});
    CHECK(after.misses == 0);
    CHECK(after.not_before == retry::Time());
    CHECK(after.trusted_until == kMissedAt);
  }

  TEST_CASE("when a nomination is doubted") {
    struct Row {
      const char* sentence;
      Pod pod;
      retry::Time time;
    };
    const History history{.nominated_since = kMissedAt, .refused_at = kMissedAt - 1s};
    const Row rows[] = {
        {"one that kube-scheduler may try: never", nominated(told("p", 11), "a"), retry::Time::max()},
        {"one that kube-scheduler has written: never",
         nominated(given_up(told("p", 11)), "a", "kube-scheduler"), retry::Time::max()},
        {"one whose pod was given up: soon", nominated(given_up(told("p", 11)), "a"),
         kMissedAt + retry::kUnfollowed},
        {"one whose gate is still there: at once", nominated(gated(told("p", 11), {"g"}), "a"), kMissedAt},
        {"one that others keep a gate on: never", nominated(gated(told("p", 11), {"g", "other"}), "a"),
         retry::Time::max()},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      const Nomination nomination{.stage = Stage::kNominated, .node = "a", .written = 10};
      CHECK(retry::doubt_time(nomination, facts_of(row.pod), history, "g") == row.time);
    }
    Nomination gate_stays{.stage = Stage::kNominated, .node = "a", .gate_stays = true};
    const PodFacts gated_facts = facts_of(nominated(gated(told("p", 11), {"g"}), "a"));
    CHECK(retry::doubt_time(gate_stays, gated_facts, history, "g") == kMissedAt + retry::kUnfollowed);
    const History trusted{.nominated_since = kMissedAt, .trusted_until = kMissedAt + 1h};
    const PodFacts given_up_facts = facts_of(nominated(given_up(told("p", 11)), "a"));
    CHECK(retry::doubt_time(gate_stays, given_up_facts, trusted, "g") == kMissedAt + 1h);
  }
}

}  // namespace winnow::test
