// Which pods wait, their order, the rounds of looks at them, and their figures.
#include "extender/nominate/waiting_pods.h"

#include <doctest/doctest.h>

#include <chrono>

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
        {"one with claims of devices is judged by the cluster", with_resource_claims(told("p", 1)),
         std::nullopt, ""},
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
    queue.pods.on_pod(in_a_group(nominated(gated(told("p", 1), {"g"}), "a")));
    const auto write = queue.pods.leave_out(queue.next(), WhyNotNominated::kPodGroup);
    REQUIRE(write);
    CHECK(write->instead_of == "a");
    CHECK(write->gate == "g");
    queue.report(write->ticket, NominationEvent::kRejected, 5);
    queue.clock.advance(1s);
    const auto again = queue.pods.leave_out(queue.next(), WhyNotNominated::kPodGroup);
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
