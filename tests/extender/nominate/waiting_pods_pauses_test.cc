// When a pod is decided again: after a nomination that came to nothing, and while it stands.
#include <doctest/doctest.h>

#include <chrono>

#include "cluster/client/servers/api_status.h"
#include "extender/nominate/waiting_pods.h"
#include "tests/extender/nominate/told_pods.h"

namespace winnow::test {
namespace {

using namespace std::chrono_literals;

}  // namespace

TEST_SUITE("waiting pods") {
  TEST_CASE("nominations that come to nothing wait longer and longer") {
    Queue queue;
    queue.pods.on_pod(told("p", 1));
    std::uint64_t version = 1;
    std::chrono::seconds expected[] = {1s, 1s, 2s, 4s, 8s, 16s, 32s, 64s, 128s, 256s, 300s, 300s};
    for (const std::chrono::seconds pause : expected) {
      const Ticket ticket = queue.next();
      REQUIRE(ticket != 0);
      queue.pods.chosen(ticket, "a");
      queue.report(ticket, NominationEvent::kWritten, ++version);
      queue.pods.on_pod(given_up(told("p", static_cast<int>(++version))));
      REQUIRE(queue.stage() == Stage::kQueued);
      if (pause > 0s) {
        queue.clock.advance(pause - 1ms);
        CHECK(queue.next() == 0);
        queue.clock.advance(1ms);
      }
    }
    SUBCASE("a pod that changes begins anew") {
      Pod changed = told("p", 1000);
      changed.metadata.labels["a"] = "b";
      const Ticket ticket = queue.next();
      queue.pods.chosen(ticket, "a");
      queue.report(ticket, NominationEvent::kWritten, 999);
      queue.pods.on_pod(given_up(changed));
      CHECK(queue.next() != 0);
    }
  }

  TEST_CASE("a pod that changes in its pause is decided at once, and stands in the queue once") {
    Queue queue;
    Pod pod = told("p", 1);
    std::uint64_t version = 1;
    for (int i = 0; i < 2; ++i) {
      stand(queue, pod, "a", ++version);
      pod = given_up(told("p", static_cast<int>(++version)));
      queue.pods.on_pod(pod);
      if (i == 0) queue.clock.advance(1s);
    }
    CHECK(queue.next() == 0);
    pod.metadata.labels["a"] = "b";
    queue.pods.on_pod(pod);
    const Ticket ticket = queue.next();
    REQUIRE(ticket != 0);
    CHECK(queue.next() == 0);
    SUBCASE("it is being decided when the pause would have ended") { queue.pods.not_now(ticket); }
    SUBCASE("it is gone by then") { queue.pods.on_gone("default", "p", version + 1); }
    queue.clock.advance(retry::kLongestPause);
    CHECK(queue.next() == 0);
  }

  TEST_CASE("a denied write is tried again every 10 s, for as long as it lasts") {
    static_assert(retry::kPause < live::Denials::kReportedFor);
    Queue queue;
    queue.pods.on_pod(told("p", 1));
    for (int i = 0; i < 20; ++i) {
      const Ticket ticket = queue.next();
      REQUIRE(ticket != 0);
      queue.pods.chosen(ticket, "a");
      queue.report(ticket, NominationEvent::kDenied);
      queue.clock.advance(retry::kPause - 1ms);
      CHECK(queue.next() == 0);
      queue.clock.advance(1ms);
    }
  }

  TEST_CASE("in a pause no nomination stands") {
    Queue queue;
    Ticket ticket = stand(queue, given_up(told("p", 1)), "a", 10);
    queue.pods.end(ticket, NominationEvent::kNoLongerFits);
    ticket = queue.next();
    queue.pods.chosen(ticket, "b");
    queue.report(ticket, NominationEvent::kWritten, 11);
    queue.pods.end(ticket, NominationEvent::kUnfollowed);
    const auto pod = queue.pods.next();
    REQUIRE(pod);
    CHECK(pod->withdraw);
    const auto write = queue.pods.withdraw(pod->ticket);
    REQUIRE(write);
    CHECK(write->node.empty());
    CHECK(write->instead_of == "b");
    queue.report(pod->ticket, NominationEvent::kWroteNothing, 12);
    CHECK(queue.next() == 0);
    queue.clock.advance(1s);
    CHECK_FALSE(queue.pods.next()->withdraw);
  }

  TEST_CASE("a nomination that may not be taken away is not tried again without a pause") {
    Queue queue;
    queue.pods.end(stand(queue, told("p", 1), "a", 10), NominationEvent::kNoLongerFits);
    for (int i = 0; i < 3; ++i) {
      const Ticket ticket = queue.next();
      if (ticket == 0) break;
      REQUIRE(queue.pods.fits_nowhere(ticket));
      queue.report(ticket, NominationEvent::kRejected);
      REQUIRE(i < 2);
    }
    queue.clock.advance(1s);
    const auto pod = queue.pods.next();
    REQUIRE(pod);
    CHECK_FALSE(pod->withdraw);
  }

  TEST_CASE("a pod that kube-scheduler does not try again is nominated anew, so that it does") {
    Queue queue;
    stand(queue, given_up(told("p", 1)), "a", 10);
    queue.pods.on_pod(nominated(given_up(told("p", 10)), "a"));
    queue.clock.advance(retry::kUnfollowed - 1ms);
    CHECK_FALSE(queue.pods.next_doubt());
    queue.clock.advance(1ms);
    const auto doubt = queue.pods.next_doubt();
    REQUIRE(doubt);
    CHECK(doubt->node == "a");
    CHECK(doubt->doubt == NominationEvent::kUnfollowed);
    SUBCASE("kube-scheduler prepares the node") {
      queue.pods.trust(doubt->ticket);
      CHECK_FALSE(queue.pods.next_doubt());
      queue.clock.advance(retry::kTrusted);
      CHECK(queue.pods.next_doubt());
      CHECK(queue.stage() == Stage::kNominated);
      return;
    }
    queue.pods.end(doubt->ticket, *doubt->doubt);
    const auto effects = queue.pods.take_effects();
    REQUIRE(effects.size() == 1);
    CHECK(effects.front().avoids_node);
    const auto pod = queue.pods.next();
    REQUIRE(pod);
    CHECK(pod->withdraw);  // That makes kube-scheduler try it.
    CHECK(queue.pods.withdraw(pod->ticket)->instead_of == "a");
    queue.report(pod->ticket, NominationEvent::kWroteNothing, 11);
    CHECK(queue.next() == 0);
    queue.clock.advance(1s);
    CHECK(queue.pods.chosen(queue.next(), "b")->instead_of.empty());
  }

  TEST_CASE("a refusal that comes after the nomination gives the pod its time anew") {
    Queue queue;
    stand(queue, given_up(told("p", 1)), "a", 10);
    queue.clock.advance(1s);
    queue.pods.on_pod(nominated(given_up(told("p", 11), "another text"), "a"));
    queue.clock.advance(retry::kUnfollowed - 1ms);
    CHECK_FALSE(queue.pods.next_doubt());
    queue.clock.advance(1ms);
    CHECK(queue.pods.next_doubt());
  }

  TEST_CASE("a pod that kube-scheduler has not tried yet is left in peace, unless it was passed over") {
    Queue queue;
    queue.pods.on_pod(told("older", 1));
    queue.pods.fits_nowhere(queue.next());
    stand(queue, told("p", 2), "a", 10);
    queue.pods.on_pod(nominated(told("p", 10), "a"));
    queue.clock.advance(1h);
    CHECK_FALSE(queue.pods.next_doubt());
    const auto later = [&](const std::string& name, int priority = 0) {
      queue.pods.on_pod(with_priority(told(name, 20), priority));
      return queue.next();
    };
    const auto doubted = [&] {
      queue.clock.advance(PassedOver::kGrace);
      const auto doubt = queue.pods.next_doubt();
      return doubt && doubt->doubt == NominationEvent::kPassedOver && doubt->facts.name == "p";
    };
    SUBCASE("one that came earlier is tried") {
      queue.pods.on_pod(given_up(told("older", 20)));
      CHECK_FALSE(doubted());
    }
    SUBCASE("one of higher priority is tried") {
      later("q", 1);
      queue.pods.on_pod(given_up(with_priority(told("q", 21), 1)));
      CHECK_FALSE(doubted());
    }
    SUBCASE("one of another scheduler is tried") {
      Pod pod = told("q", 20);
      pod.spec.scheduler_name = "other";
      queue.pods.on_pod(pod);
      queue.pods.on_pod(bound(pod, "b"));
      CHECK_FALSE(doubted());
    }
    SUBCASE("one of a group is tried with its group") {
      queue.pods.on_pod(in_a_group(told("q", 20)));
      queue.pods.on_pod(bound(in_a_group(told("q", 21)), "b"));
      CHECK_FALSE(doubted());
    }
    SUBCASE("one that came later is refused") {
      later("q");
      queue.pods.on_pod(given_up(told("q", 21)));
      CHECK(doubted());
    }
    SUBCASE("one that came later is bound") {
      later("q");
      queue.pods.on_pod(bound(told("q", 21), "b"));
      CHECK(doubted());
    }
    SUBCASE("one of lower priority is bound") {
      later("q", -1);
      queue.pods.on_pod(bound(with_priority(told("q", 21), -1), "b"));
      CHECK(doubted());
    }
    SUBCASE("and then the pod itself") {
      later("q");
      queue.pods.on_pod(bound(told("q", 21), "b"));
      queue.pods.on_pod(bound(told("p", 22), "a"));
      CHECK_FALSE(doubted());
      CHECK(queue.stage() == Stage::kForgotten);
    }
    SUBCASE("kube-scheduler has nominated the same node itself: it prepares it") {
      queue.pods.on_pod(nominated(told("p", 20), "a", "kube-scheduler"));
      later("q");
      queue.pods.on_pod(given_up(told("q", 21)));
      CHECK_FALSE(doubted());
    }
    CHECK(queue.pods.figures().queued == (queue.stage("q") == Stage::kQueued ? 1 : 0));
  }

  TEST_CASE("a pod that was passed over loses its nomination at once, and gets none for long") {
    Queue queue;
    std::uint64_t version = 10;
    Ticket ticket = stand(queue, told("p", 1), "a", version);
    for (const auto pause : {16s, 32s, 64s, 128s, 256s, 300s, 300s}) {
      queue.pods.end(ticket, NominationEvent::kPassedOver);
      const auto pod = queue.pods.next();
      REQUIRE(pod);
      CHECK(pod->withdraw);
      REQUIRE(queue.pods.withdraw(pod->ticket));
      queue.report(pod->ticket, NominationEvent::kWroteNothing, ++version);
      queue.clock.advance(pause - 1ms);
      CHECK(queue.next() == 0);
      queue.clock.advance(1ms);
      ticket = queue.next();
      REQUIRE(ticket != 0);
      queue.pods.chosen(ticket, "a");
      queue.report(ticket, NominationEvent::kWritten, ++version);
    }
  }
}

}  // namespace winnow::test
