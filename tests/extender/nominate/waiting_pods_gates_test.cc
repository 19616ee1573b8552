// Our gate, others' gates and others' nominations: what is removed, what is kept, and what a lead takes over.
#include <doctest/doctest.h>

#include <chrono>

#include "extender/nominate/waiting_pods.h"
#include "tests/extender/nominate/told_pods.h"

namespace winnow::test {
namespace {

using namespace std::chrono_literals;

}  // namespace

TEST_SUITE("waiting pods") {
  TEST_CASE("a place is not kept for a pod whose gate cannot be removed") {
    Queue queue("g");
    queue.pods.on_pod(gated(told("p", 1), {"g"}));
    const Ticket ticket = queue.next();
    queue.pods.chosen(ticket, "a");
    queue.pods.report(
        {.ticket = ticket, .event = NominationEvent::kWritten, .version = 5, .gate_stays = true});
    queue.pods.on_pod(nominated(gated(told("p", 5), {"g"}), "a"));
    queue.clock.advance(retry::kUnfollowed - 1ms);
    CHECK_FALSE(queue.pods.next_doubt());
    queue.clock.advance(1ms);
    const auto doubt = queue.pods.next_doubt();
    REQUIRE(doubt);
    CHECK(doubt->doubt == NominationEvent::kGateStays);
    queue.pods.end(doubt->ticket, *doubt->doubt);
    CHECK(queue.pods.take_effects().front().outcome == NominationOutcome::kRejected);
    const auto pod = queue.pods.next();
    REQUIRE(pod);
    CHECK(pod->withdraw);
    CHECK(queue.pods.withdraw(pod->ticket)->instead_of == "a");
    queue.report(pod->ticket, NominationEvent::kWroteNothing, 6);
    queue.clock.advance(retry::kPause - 1ms);
    CHECK(queue.next() == 0);
    queue.clock.advance(1ms);
    const auto write = queue.pods.chosen(queue.next(), "a");
    REQUIRE(write);
    CHECK(write->gate == "g");
  }

  TEST_CASE("the gate that a former Winnow has left on its nomination is removed at once") {
    Queue queue("g");
    queue.pods.on_pod(nominated(gated(told("p", 1), {"g"}), "a"));
    queue.pods.begin_lead();
    const auto doubt = queue.pods.next_doubt();
    REQUIRE(doubt);
    CHECK(doubt->ungate);
    const auto write = queue.pods.ungate(doubt->ticket);
    REQUIRE(write);
    CHECK(write->gate == "g");
    CHECK(write->node == "a");
    CHECK_FALSE(queue.pods.next_doubt());
    queue.report(doubt->ticket, NominationEvent::kWritten, 6);
    CHECK(queue.stage() == Stage::kNominated);
    CHECK_FALSE(queue.pods.next_doubt());
  }

  TEST_CASE("a gate that was removed is not removed again because the watch is late") {
    Queue queue("g");
    queue.pods.on_pod(gated(told("p", 1), {"g"}));
    const Ticket ticket = queue.next();
    queue.pods.chosen(ticket, "a");
    queue.report(ticket, NominationEvent::kWritten, 6);  // 5 was the nomination.
    CHECK_FALSE(queue.pods.next_doubt());
    queue.pods.on_pod(nominated(gated(told("p", 5), {"g"}), "a"));
    queue.clock.advance(1h);
    CHECK_FALSE(queue.pods.next_doubt());
  }

  TEST_CASE("a pod that the API has told the end of is not entered again by older events") {
    Queue queue;
    queue.pods.on_pod(told("p", 1));
    const Ticket ticket = queue.next();
    queue.pods.chosen(ticket, "a");
    queue.report(ticket, NominationEvent::kFoundThere, 9);
    CHECK(queue.pods.take_effects().size() == 1);
    queue.pods.on_pod(nominated(told("p", 5), "a"));
    CHECK(queue.stage() == Stage::kEnded);
    CHECK(queue.next_name().empty());
    CHECK(queue.pods.figures().nominated == 0);
    queue.pods.on_pod(bound(told("p", 9), "a"));
    CHECK(queue.stage() == Stage::kForgotten);
    CHECK(queue.pods.take_effects().empty());
  }

  TEST_CASE("a pod of another scheduler loses our gate alone") {
    Queue queue("g");
    queue.pods.on_pod(gated(told("p", 1), {"g"}));
    const auto write = queue.pods.leave_to_others(queue.next());
    REQUIRE(write);
    CHECK(write->gate == "g");
    CHECK(write->node.empty());
    CHECK(write->instead_of.empty());
    SUBCASE("that succeeds: it is set aside") {
      queue.report(write->ticket, NominationEvent::kWroteNothing, 5);
      CHECK(queue.next() == 0);
      CHECK(queue.pods.figures().left == 1);
      queue.pods.reconsider();
      CHECK_FALSE(queue.pods.leave_to_others(queue.next()));  // The watch is late.
    }
    SUBCASE("that fails: it is tried again") {
      queue.report(write->ticket, NominationEvent::kRejected);
      queue.clock.advance(retry::kPause);
      CHECK(queue.pods.leave_to_others(queue.next()));
    }
    CHECK(queue.pods.take_effects().empty());
  }

  TEST_CASE("a pod with our gate that somebody else has nominated loses the gate alone") {
    Queue queue("g");
    queue.pods.on_pod(nominated(gated(told("p", 1), {"g"}), "a", "autoscaler"));
    CHECK(queue.stage() == Stage::kForeign);
    queue.pods.begin_round();
    auto look = queue.pods.next_look();
    REQUIRE(look);
    CHECK(look->ungate);
    const auto write = queue.pods.ungate(look->ticket);
    REQUIRE(write);
    CHECK(write->gate == "g");
    CHECK(write->node.empty());
    CHECK(write->instead_of.empty());
    CHECK(queue.pods.is_wanted(write->ticket));
    queue.report(write->ticket, NominationEvent::kDenied);
    CHECK(queue.stage() == Stage::kForeign);
    queue.pods.begin_round();
    CHECK_FALSE(queue.pods.next_look());
    queue.clock.advance(retry::kPause);
    queue.pods.begin_round();
    look = queue.pods.next_look();
    REQUIRE(look);
    REQUIRE(queue.pods.ungate(look->ticket));
    queue.report(look->ticket, NominationEvent::kWroteNothing, 5);
    CHECK(queue.stage() == Stage::kForeign);
    CHECK(queue.next() == 0);
    queue.clock.advance(retry::kPause);
    queue.pods.on_pod(nominated(told("p", 5), "a", "autoscaler"));
    queue.pods.begin_round();
    CHECK_FALSE(queue.pods.next_look());
  }

  TEST_CASE("a pod that is held by another gate, too, and nominated by others, keeps both") {
    Queue queue("g");
    queue.pods.on_pod(nominated(gated(told("p", 1), {"g", "other"}), "a", "autoscaler"));
    queue.pods.begin_round();
    CHECK_FALSE(queue.pods.next_look());
  }

  TEST_CASE("a lead takes over what it finds, at its begin and later") {
    Queue queue;
    queue.pods.on_pod(nominated(told("before", 1), "a"));
    CHECK(queue.stage("before") == Stage::kInherited);
    queue.pods.begin_lead();
    queue.pods.on_pod(nominated(told("later", 2), "b"));
    CHECK(queue.stage("before") == Stage::kNominated);
    CHECK(queue.stage("later") == Stage::kNominated);
    const auto effects = queue.pods.take_effects();
    REQUIRE(effects.size() == 2);
    CHECK(effects[0].assumption == Assumption::kMade);
    CHECK(effects[1].node == "b");
    queue.pods.end_lead();
    queue.pods.on_pod(nominated(told("other", 3), "c"));
    CHECK(queue.stage("other") == Stage::kInherited);
  }
}

}  // namespace winnow::test
