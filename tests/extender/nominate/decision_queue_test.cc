// The order in which pods are decided, their tickets, and rounds of looks.
#include "extender/nominate/decision_queue.h"

#include <doctest/doctest.h>

#include <array>
#include <string>

namespace winnow::test {
namespace {

using namespace std::chrono_literals;
using QueuePlace = DecisionQueue::Place;

constexpr DecisionQueue::Time kAskedAt{1h};

/// A queue with three pods, which are in no place yet.
struct QueueOfThree {
  QueueOfThree() {
    queue.arrive(pods[0], "first", 0);
    queue.arrive(pods[1], "second", 0);
    queue.arrive(pods[2], "high", 10);
  }
  /// Takes the active pods out. @return their keys.
  std::string order(DecisionQueue::Time now = kAskedAt) {
    std::string keys;
    while (DecisionQueue::Entry* const first = queue.first(now)) {
      keys += first->key() + " ";
      queue.put(*first, QueuePlace::kNowhere);
    }
    return keys;
  }

  DecisionQueue queue;
  std::array<DecisionQueue::Entry, 3> pods;
};

}  // namespace

TEST_SUITE("the decision queue") {
  TEST_CASE("the higher priority goes first, then who came first") {
    QueueOfThree bed;
    for (auto& pod : bed.pods) bed.queue.put(pod, QueuePlace::kActive);
    SUBCASE("as they come") { CHECK(bed.order() == "high first second "); }
    SUBCASE("one goes behind its equals") {
      bed.queue.go_behind(bed.pods[0]);
      CHECK(bed.order() == "high second first ");
    }
    SUBCASE("one is gone") {
      bed.queue.remove(bed.pods[2]);
      CHECK(bed.order() == "first second ");
    }
    CHECK(bed.order().empty());
  }

  TEST_CASE("a pod in back-off is active when its pause has ended") {
    QueueOfThree bed;
    bed.queue.back_off(bed.pods[0], kAskedAt + 2s);
    bed.queue.back_off(bed.pods[2], kAskedAt + 1s);
    CHECK(bed.order().empty());
    SUBCASE("in the order of the pauses") {
      CHECK(bed.order(kAskedAt + 1s) == "high ");
      CHECK(bed.order(kAskedAt + 2s) == "first ");
    }
    SUBCASE("one that goes behind its equals keeps its pause") {
      bed.queue.go_behind(bed.pods[0]);
      CHECK(bed.order(kAskedAt + 1s) == "high ");
      CHECK(bed.order(kAskedAt + 2s) == "first ");
    }
    SUBCASE("one that is active earlier stands there once") {
      bed.queue.put(bed.pods[0], QueuePlace::kActive);
      CHECK(bed.order() == "first ");
      CHECK(bed.order(kAskedAt + 1h) == "high ");
    }
    SUBCASE("one is gone") {
      bed.queue.remove(bed.pods[0]);
      CHECK(bed.order(kAskedAt + 1h) == "high ");
    }
  }

  TEST_CASE("a ticket holds until the next one, or until the pod is gone") {
    QueueOfThree bed;
    const Ticket ticket = bed.queue.new_ticket(bed.pods[0]);
    CHECK(bed.queue.find(ticket) == &bed.pods[0]);
    const Ticket next = bed.queue.new_ticket(bed.pods[0]);
    CHECK_FALSE(bed.queue.has(ticket));
    CHECK(bed.pods[0].ticket() == next);
    bed.queue.remove(bed.pods[0]);
    CHECK(bed.queue.find(next) == nullptr);
    CHECK(bed.pods[0].ticket() == 0);
  }

  TEST_CASE("a round has each pod once, in the order of decisions") {
    QueueOfThree bed;
    bed.queue.begin_round({&bed.pods[1], &bed.pods[2], &bed.pods[0]});
    std::string keys;
    while (const auto key = bed.queue.next_of_round()) keys += *key + " ";
    CHECK(keys == "high first second ");
    CHECK_FALSE(bed.queue.in_round());
  }
}

}  // namespace winnow::test
