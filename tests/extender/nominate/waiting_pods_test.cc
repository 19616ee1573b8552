// The order of waiting pods, which pods wait, what is written for them, and when they are looked at again.
#include "extender/nominate/waiting_pods.h"

#include <doctest/doctest.h>

#include <chrono>
#include <functional>

#include "cluster/client/servers/api_status.h"
#include "tests/extender/nominate/told_pods.h"

namespace winnow::test {
namespace {

using namespace std::chrono_literals;

/// The names of the pods in the order in which they are decided.
std::string order_of(Queue& queue) {
  std::string names;
  for (std::string name = queue.next_name(); !name.empty(); name = queue.next_name())
    names += (names.empty() ? "" : " ") + name;
  return names;
}

/// Has the pod nominated for the node, with a write of that version.
Ticket stand(Queue& queue, const Pod& pod, const std::string& node, std::uint64_t version) {
  queue.pods.on_pod(pod);
  const Ticket ticket = queue.next();
  REQUIRE(queue.pods.chosen(ticket, node));
  queue.report(ticket, NominationEvent::kWritten, version);
  return ticket;
}

}  // namespace

TEST_SUITE("waiting pods") {
  TEST_CASE("the higher priority goes first, then who has waited for longer") {
    Queue queue;
    queue.pods.on_pod(told("first", 1));
    queue.pods.on_pod(told("second", 2));
    queue.pods.on_pod(with_priority(told("high", 3), 10));
    queue.pods.on_pod(with_priority(told("low", 4), -1));
    SUBCASE("as they come") { CHECK(order_of(queue) == "high first second low"); }
    SUBCASE("a pod that kube-scheduler gives up goes behind its equals") {
      queue.pods.on_pod(given_up(told("first", 5)));
      CHECK(order_of(queue) == "high second first low");
    }
    SUBCASE("any other event leaves it in its place") {
      Pod pod = told("first", 5);
      pod.metadata.annotations["a"] = "b";
      queue.pods.on_pod(pod);
      CHECK(order_of(queue) == "high first second low");
    }
    SUBCASE("a pod that is gone is not decided") {
      queue.pods.on_gone("default", "first", 5);
      CHECK(order_of(queue) == "high second low");
      CHECK(queue.pods.size() == 3);
    }
  }

  TEST_CASE("which pods are to be decided") {
    struct Row {
      const char* sentence;
      Pod pod;
      Stage stage;
      bool decided;
    };
    Pod deleting = told("p", 1);
    deleting.metadata.deleting = true;
    Pod running = told("p", 1);
    running.status.phase = "Running";
    const Row rows[] = {
        {"a pod that waits", told("p", 1), Stage::kQueued, true},
        {"one that kube-scheduler has given up", given_up(told("p", 1)), Stage::kQueued, true},
        {"one with our gate", gated(told("p", 1), {"winnow.dev/nominate"}), Stage::kQueued, true},
        {"one that kube-scheduler has nominated", nominated(told("p", 1), "a", "kube-scheduler"),
         Stage::kForeign, false},
        {"one with a nomination by nobody knows whom", nominated(told("p", 1), "a", ""), Stage::kForeign,
         false},
        {"one that a Winnow has nominated", nominated(told("p", 1), "a"), Stage::kInherited, false},
        {"a bound one", bound(told("p", 1), "a"), Stage::kForgotten, false},
        {"one that is being deleted", deleting, Stage::kForgotten, false},
        {"one that runs without a node's name", running, Stage::kForgotten, false},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      Queue queue("winnow.dev/nominate");
      queue.pods.on_pod(row.pod);
      CHECK(queue.stage() == row.stage);
      CHECK((queue.next() != 0) == row.decided);
    }
  }

  TEST_CASE("which pods get no nomination, and what is written for them") {
    using enum WhyNotNominated;
    struct Row {
      const char* sentence;
      Pod pod;
      std::optional<WhyNotNominated> why;
      const char* ungates;  ///< The gate that is removed; "": none.
    };
    const std::string ours = "winnow.dev/nominate";
    const Row rows[] = {
        {"one with our gate alone gets one", gated(told("p", 1), {ours}), std::nullopt, ""},
        {"one with another gate", gated(told("p", 1), {"other"}), kSchedulingGates, ""},
        {"one with our gate and another keeps both", gated(told("p", 1), {ours, "other"}), kSchedulingGates,
         ""},
        {"in any order", gated(told("p", 1), {"other", ours}), kSchedulingGates, ""},
        {"one with claims of devices", with_resource_claims(told("p", 1)), kResourceClaims, ""},
        {"one with such claims and our gate is let go", with_resource_claims(gated(told("p", 1), {ours})),
         kResourceClaims, "winnow.dev/nominate"},
        {"one of a group", in_a_group(told("p", 1)), kPodGroup, ""},
        {"one of a group, with our gate", in_a_group(gated(told("p", 1), {ours})), kPodGroup,
         "winnow.dev/nominate"},
        {"one of a group, with all gates", in_a_group(gated(told("p", 1), {ours, "other"})), kSchedulingGates,
         ""},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      Queue queue(ours);
      queue.pods.on_pod(row.pod);
      const auto next = queue.pods.next();
      REQUIRE(next);
      CHECK(next->why_not == row.why);
      if (!row.why) continue;
      const auto write = queue.pods.leave_out(next->ticket, *row.why);
      CHECK(write.has_value() == (row.ungates[0] != '\0'));
      if (write) {
        CHECK(write->gate == row.ungates);
        CHECK(write->node.empty());
        queue.report(next->ticket, NominationEvent::kWroteNothing, 9);
      }
      CHECK(queue.next() == 0);
      CHECK(queue.pods.status_of("default", "p")->why_not == row.why);
      CHECK(queue.pods.figures().left == 1);
      CHECK(queue.pods.figures().left_out[static_cast<std::size_t>(*row.why)] == 1);
      queue.pods.begin_round();
      CHECK_FALSE(queue.pods.next_look());
    }
  }

  TEST_CASE("a pod with gates waits for the others' hands, and is decided then") {
    Queue queue("winnow.dev/nominate");
    queue.pods.on_pod(gated(told("p", 1), {"other", "winnow.dev/nominate"}));
    CHECK_FALSE(queue.pods.leave_out(queue.next(), WhyNotNominated::kSchedulingGates));
    SUBCASE("ours is left") { queue.pods.on_pod(gated(told("p", 2), {"winnow.dev/nominate"})); }
    SUBCASE("none is left") { queue.pods.on_pod(told("p", 2)); }
    const auto next = queue.pods.next();
    REQUIRE(next);
    CHECK_FALSE(next->why_not);
    CHECK(queue.pods.chosen(next->ticket, "a"));
    CHECK(queue.pods.figures().left_out[static_cast<std::size_t>(WhyNotNominated::kSchedulingGates)] == 1);
  }

  TEST_CASE("a nomination that an earlier Winnow made, and this one would not, is taken away") {
    using enum WhyNotNominated;
    const std::pair<Pod, WhyNotNominated> pods[] = {
        {with_resource_claims(nominated(told("p", 1), "a")), kResourceClaims},
        {in_a_group(nominated(told("p", 1), "a")), kPodGroup},
        {nominated(gated(told("p", 1), {"other", "g"}), "a"), kSchedulingGates},
    };
    for (const auto& [pod, why] : pods)
      for (const bool leads_before : {false, true}) {
        CAPTURE(to_string(why));
        CAPTURE(leads_before);
        Queue queue("g");
        if (leads_before) queue.pods.begin_lead();
        queue.pods.on_pod(pod);
        if (!leads_before) {
          CHECK(queue.stage() == Stage::kInherited);  // Another replica leads.
          CHECK(queue.next() == 0);
          queue.pods.begin_lead();
        }
        const auto next = queue.pods.next();
        REQUIRE(next);
        CHECK(next->why_not == why);
        const auto write = queue.pods.leave_out(next->ticket, why);
        REQUIRE(write);
        CHECK(write->instead_of == "a");
        CHECK(write->node.empty());
        CHECK(write->gate.empty());
        queue.report(next->ticket, NominationEvent::kWroteNothing, 5);
        CHECK(queue.next() == 0);
        CHECK(queue.pods.status_of("default", "p")->why_not == why);
        CHECK(queue.pods.take_effects().back().outcome == NominationOutcome::kLeftOut);
      }
  }

  TEST_CASE("a gate that stays when the nomination is taken away is removed by the next try") {
    Queue queue("g");
    queue.pods.begin_lead();
    queue.pods.on_pod(with_resource_claims(nominated(gated(told("p", 1), {"g"}), "a")));
    const auto write = queue.pods.leave_out(queue.next(), WhyNotNominated::kResourceClaims);
    REQUIRE(write);
    CHECK(write->instead_of == "a");
    CHECK(write->gate == "g");
    queue.report(write->ticket, NominationEvent::kRejected, 5);
    queue.clock.advance(1s);
    const auto again = queue.pods.leave_out(queue.next(), WhyNotNominated::kResourceClaims);
    REQUIRE(again);
    CHECK(again->gate == "g");
  }

  TEST_CASE("a pod whose storage is missing is looked at, and counted once") {
    Queue queue("g", /*release_infeasible=*/false);
    queue.pods.on_pod(gated(told("p", 1), {"g"}));
    const auto write = queue.pods.leave_out(queue.next(), WhyNotNominated::kClaimMissing);
    REQUIRE(write);
    CHECK(write->gate == "g");
    queue.report(write->ticket, NominationEvent::kWroteNothing, 2);
    queue.pods.on_pod(told("p", 2));
    CHECK(queue.next() == 0);
    for (int i = 0; i < 3; ++i) {
      queue.pods.begin_round();
      const auto look = queue.pods.next_look();
      REQUIRE(look);
      CHECK(look->why_not == WhyNotNominated::kClaimMissing);
      queue.pods.decide_again(look->ticket);
      if (i < 2) CHECK_FALSE(queue.pods.leave_out(queue.next(), WhyNotNominated::kClaimMissing));
    }
    CHECK(queue.pods.figures().left_out[static_cast<std::size_t>(WhyNotNominated::kClaimMissing)] == 1);
    CHECK(queue.pods.chosen(queue.next(), "a"));
    CHECK_FALSE(queue.pods.status_of("default", "p")->why_not);
  }

  TEST_CASE("what is written") {
    Queue queue("g");
    SUBCASE("a nomination names the pod as it was told") {
      queue.pods.on_pod(told("p", 7));
      const auto write = queue.pods.chosen(queue.next(), "a");
      REQUIRE(write);
      CHECK(write->pod.uid == "uid-p");
      CHECK(write->pod.resource_version == "7");
      CHECK(write->node == "a");
      CHECK(write->instead_of.empty());
      CHECK(write->gate.empty());
    }
    SUBCASE("the gate goes after the nomination") {
      queue.pods.on_pod(gated(told("p", 7), {"g"}));
      CHECK(queue.pods.chosen(queue.next(), "a")->gate == "g");
    }
    SUBCASE("a pod that fits nowhere loses its gate, and waits") {
      queue.pods.on_pod(gated(told("p", 7), {"g"}));
      const auto write = queue.pods.fits_nowhere(queue.next());
      REQUIRE(write);
      CHECK(write->gate == "g");
      CHECK(write->node.empty());
      queue.report(write->ticket, NominationEvent::kWroteNothing, 8);
      CHECK(queue.pods.status_of("default", "p")->fits_nowhere);
      CHECK(queue.pods.take_effects().empty());
    }
    SUBCASE("a nomination that is overwritten is named") {
      const Ticket ticket = stand(queue, told("p", 1), "a", 10);
      queue.pods.end(ticket, NominationEvent::kNoLongerFits);
      const auto write = queue.pods.chosen(queue.next(), "b");
      REQUIRE(write);
      CHECK(write->instead_of == "a");
      CHECK(write->pod.resource_version == "10");
    }
    SUBCASE("a nomination that fits no more is taken away where no other node fits") {
      queue.pods.end(stand(queue, told("p", 1), "a", 10), NominationEvent::kNoLongerFits);
      const auto write = queue.pods.fits_nowhere(queue.next());
      REQUIRE(write);
      CHECK(write->instead_of == "a");
      CHECK(write->node.empty());
    }
  }

  TEST_CASE("the gate of a pod that fits nowhere may hold it") {
    Queue queue("g", /*release_infeasible=*/false);
    queue.pods.on_pod(gated(told("p", 7), {"g"}));
    CHECK_FALSE(queue.pods.fits_nowhere(queue.next()));
    CHECK(queue.pods.status_of("default", "p")->fits_nowhere);
  }

  TEST_CASE("events of the time before the write say nothing of the nomination") {
    Queue queue;
    stand(queue, told("p", 1), "a", 10);
    queue.pods.on_pod(given_up(told("p", 9)));
    CHECK(queue.stage() == Stage::kNominated);
    queue.pods.on_pod(nominated(given_up(told("p", 10)), "a"));
    CHECK(queue.stage() == Stage::kNominated);
    queue.pods.on_pod(given_up(told("p", 11)));
    CHECK(queue.stage() == Stage::kQueued);
  }

  TEST_CASE("what the watch tells before the writer does is not forgotten") {
    Queue queue;
    queue.pods.on_pod(told("p", 1));
    const Ticket ticket = queue.next();
    queue.pods.chosen(ticket, "a");
    SUBCASE("the nomination, and that it was refused") {
      queue.pods.on_pod(nominated(told("p", 10), "a"));
      queue.pods.on_pod(given_up(told("p", 11)));
      CHECK(queue.stage() == Stage::kWriting);
      queue.report(ticket, NominationEvent::kWritten, 10);
      CHECK(queue.stage() == Stage::kQueued);
    }
    SUBCASE("a change of the pod") {
      Pod changed = told("p", 5);
      changed.metadata.labels["a"] = "b";
      queue.pods.on_pod(changed);
      queue.report(ticket, NominationEvent::kWritten, 10);
      CHECK(queue.stage() == Stage::kQueued);
      CHECK(queue.pods.chosen(queue.next(), "b")->instead_of == "a");
    }
    SUBCASE("somebody else's nomination has come and gone") {
      queue.pods.on_pod(told("p", 12));
      queue.report(ticket, NominationEvent::kOverruled, 11);
      CHECK(queue.stage() == Stage::kQueued);
    }
    SUBCASE("somebody else's nomination that the watch has not shown yet") {
      queue.report(ticket, NominationEvent::kOverruled, 11);
      CHECK(queue.stage() == Stage::kForeign);
    }
  }

  TEST_CASE("a write of unknown version is not taken for undone before the watch has shown it") {
    Queue queue;
    queue.pods.on_pod(told("p", 1));
    const Ticket ticket = queue.next();
    queue.pods.chosen(ticket, "a");
    queue.report(ticket, NominationEvent::kWritten, 0);
    queue.pods.on_pod(told("p", 5));
    CHECK(queue.stage() == Stage::kNominated);
    queue.pods.on_pod(nominated(told("p", 6), "a"));
    queue.pods.on_pod(told("p", 7));
    CHECK(queue.stage() == Stage::kQueued);
  }

  TEST_CASE("an older event does not count, unless the pod is bound") {
    Queue queue;
    stand(queue, told("p", 8), "a", 10);
    queue.pods.on_pod(nominated(told("p", 5), "b", "kube-scheduler"));
    CHECK(queue.stage() == Stage::kNominated);
    queue.pods.on_gone("default", "p", 7);
    CHECK(queue.stage() == Stage::kNominated);
    SUBCASE("etcd was restored") {
      queue.pods.on_rewind();
      queue.pods.on_pod(nominated(told("p", 5), "b", "kube-scheduler"));
      CHECK(queue.stage() == Stage::kForeign);
    }
    SUBCASE("it is bound") {
      queue.pods.on_pod(bound(told("p", 6), "a"));
      CHECK(queue.stage() == Stage::kForgotten);
    }
  }

  TEST_CASE("a decision that something has overtaken comes to nothing") {
    Queue queue;
    queue.pods.on_pod(told("p", 1));
    const Ticket ticket = queue.next();
    SUBCASE("the pod is bound") { queue.pods.on_pod(bound(told("p", 2), "b")); }
    SUBCASE("the pod has changed, and is decided again") {
      Pod changed = told("p", 2);
      changed.metadata.labels["a"] = "b";
      queue.pods.on_pod(changed);
      CHECK(queue.pods.status_of("default", "p")->stage == Stage::kQueued);
    }
    SUBCASE("kube-scheduler has nominated it") {
      queue.pods.on_pod(nominated(told("p", 2), "b", "kube-scheduler"));
    }
    CHECK_FALSE(queue.pods.chosen(ticket, "a"));
    CHECK_FALSE(queue.pods.is_wanted(ticket));
    queue.report(ticket, NominationEvent::kWritten, 9);
    CHECK(queue.stage() != Stage::kNominated);
  }

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

  TEST_CASE("a write of an earlier lead that nobody tells the outcome of ends in the lead that has begun") {
    Queue queue;
    queue.pods.begin_lead();
    queue.pods.on_pod(told("p", 1));
    const Ticket ticket = queue.next();
    queue.pods.chosen(ticket, "a");
    queue.pods.end_lead();
    queue.pods.begin_lead();
    CHECK(queue.stage() == Stage::kWriting);
    queue.report(ticket, NominationEvent::kUnclear);
    CHECK(queue.stage() == Stage::kQueued);
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

  TEST_CASE("a round looks at each pod once, the highest priority first") {
    Queue queue;
    stand(queue, told("stands", 1), "a", 10);
    for (const auto& [name, priority] : {std::pair("low", -1), {"high", 5}, {"middle", 0}}) {
      queue.pods.on_pod(with_priority(told(name, 2), priority));
      queue.pods.fits_nowhere(queue.next());
    }
    queue.pods.begin_round();
    CHECK(queue.pods.next_look()->facts.name == "high");
    queue.pods.begin_round();  // The round goes on: no pod is passed over.
    std::string names;
    while (const auto look = queue.pods.next_look()) names += look->facts.name + " ";
    CHECK(names == "stands middle low ");
    SUBCASE("one that fits now is decided") {
      queue.pods.begin_round();
      queue.pods.decide_again(queue.pods.next_look()->ticket);
      CHECK(queue.next_name() == "high");
    }
  }

  TEST_CASE("pods of other schedulers are set aside, until other rules are in force") {
    Queue queue;
    queue.pods.on_pod(told("p", 1));
    CHECK_FALSE(queue.pods.leave_to_others(queue.next()));
    CHECK(queue.next() == 0);
    CHECK(queue.pods.figures().left == 1);
    queue.pods.reconsider();
    CHECK(queue.next() != 0);
  }

  TEST_CASE("a pod that is expensive to look at is not looked at for a while") {
    Queue queue("g", /*release_infeasible=*/false);
    queue.pods.on_pod(gated(told("p", 1), {"g"}));
    queue.pods.fits_nowhere(queue.next());
    const auto look = [&] {
      queue.pods.begin_round();
      const auto pod = queue.pods.next_look();
      return pod ? pod->ticket : 0;
    };
    for (int i = 0; i < 3; ++i) {
      const Ticket ticket = look();
      REQUIRE(ticket != 0);
      queue.pods.set_aside(ticket);
      CHECK(queue.pods.figures().left == 1);
      queue.clock.advance(retry::kExpensivePodPause - 1ms);
      CHECK(look() == 0);
      queue.clock.advance(1ms);
    }
    queue.pods.decide_again(look());
    CHECK(queue.next() != 0);
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

  TEST_CASE("the time to the first nomination is told once") {
    Queue queue;
    queue.pods.on_pod(told("p", 1));
    const Ticket ticket = queue.next();
    queue.pods.chosen(ticket, "a");
    queue.clock.advance(3s);
    const auto since =
        queue.pods.report({.ticket = ticket, .event = NominationEvent::kWritten, .version = 5});
    REQUIRE(since);
    CHECK(since->count() == 3);
    queue.pods.end(ticket, NominationEvent::kNoLongerFits);
    const Ticket again = queue.next();
    queue.pods.chosen(again, "b");
    CHECK_FALSE(queue.pods.report({.ticket = again, .event = NominationEvent::kWritten, .version = 6}));
  }

  TEST_CASE("the figures have each pod once") {
    Queue queue;
    stand(queue, told("stands", 1), "a", 10);
    queue.pods.on_pod(told("unfit", 2));
    queue.pods.fits_nowhere(queue.next());
    queue.pods.on_pod(told("queued", 3));
    queue.pods.on_pod(nominated(told("left", 4), "b", "kube-scheduler"));
    queue.pods.on_pod(bound(told("bound", 5), "b"));
    const WaitingFigures figures = queue.pods.figures();
    CHECK(figures.nominated == 1);
    CHECK(figures.fit_nowhere == 1);
    CHECK(figures.queued == 1);
    CHECK(figures.left == 1);
  }
}

}  // namespace winnow::test
