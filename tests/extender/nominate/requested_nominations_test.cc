// Nominations for pods that calls have refused, and for no others (--nominate-refused).
#include <doctest/doctest.h>

#include <chrono>

#include "extender/nominate/nominator.h"
#include "tests/extender/nominate/nominating.h"
#include "tests/extender/nominate/told_pods.h"

namespace winnow::test {
namespace {

using namespace std::chrono_literals;

/// A call has refused this version of the pod.
RequestedNomination refused(const std::string& name, std::uint64_t version, bool by_eviction = false) {
  return {
      .ns = "default", .name = name, .uid = "uid-" + name, .version = version, .by_eviction = by_eviction};
}

struct OnRequest : Queue {
  OnRequest() : Queue(WaitingPods::Options{.on_request = true}) { pods.begin_lead(); }
};

/// All of today's.
std::vector<RuleSet> todays_rules() {
  const std::string text = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";
  return load_rules("rules", text, {}).value().sets;
}

/// Two nodes of two CPUs.
struct OnRequestBed {
  OnRequestBed() {
    for (const std::string name : {"a", "b"}) process.set_node(roomy_node(name, "2"));
  }
  live::test::ManualClock clock;
  NominatorService process{
      NominatorService::Given{.clock = clock, .rules = todays_rules(), .on_request = true}};
};

Pod sized(Pod made, const std::string& cpu) {
  made.spec.containers.front().resources.requests.insert_or_assign("cpu", *Quantity::parse(cpu));
  return made;
}

}  // namespace

TEST_SUITE("requested nominations") {
  TEST_CASE("a pod that no call has refused is left alone, also where kube-scheduler gives it up") {
    OnRequest queue;
    queue.pods.on_pod(told("p", 1));
    CHECK(queue.next() == 0);
    queue.pods.on_pod(given_up(told("p", 2)));
    CHECK(queue.next() == 0);
    queue.clock.advance(1h);
    queue.pods.begin_round();
    CHECK_FALSE(queue.pods.next_look());
    queue.pods.reconsider();
    CHECK(queue.next() == 0);
    CHECK(queue.pods.figures().left == 0);
  }

  TEST_CASE("it is decided when the watch shows that the attempt has failed, and once") {
    OnRequest queue;
    queue.pods.on_pod(told("p", 1));
    queue.pods.request(refused("p", 1));
    CHECK(queue.next() == 0);
    queue.pods.on_pod(given_up(told("p", 2)));
    const Ticket ticket = queue.next();
    REQUIRE(ticket != 0);
    const auto write = queue.pods.chosen(ticket, "a");
    REQUIRE(write);
    CHECK(write->node == "a");
    CHECK(write->pod.resource_version == "2");
    queue.report(ticket, NominationEvent::kWritten, 3);
    CHECK(queue.next() == 0);
    CHECK(queue.stage() == Stage::kNominated);
  }

  TEST_CASE("a refusal from before the call is of an earlier attempt") {
    OnRequest queue;
    queue.pods.on_pod(told("p", 1));
    queue.pods.request(refused("p", 7));
    queue.pods.on_pod(given_up(told("p", 5)));
    CHECK(queue.next() == 0);
    SUBCASE("a later one is this attempt's") {
      queue.pods.on_pod(given_up(told("p", 8), "0/2 nodes are available: other words"));
      CHECK(queue.next() != 0);
    }
    SUBCASE("where its words are the same nothing is shown: it is decided soon") {
      queue.clock.advance(WaitingPods::kAttempt);
      CHECK(queue.next() != 0);
    }
  }

  TEST_CASE("a call may come before the watch shows its pod") {
    OnRequest queue;
    queue.pods.request(refused("p", 4));
    SUBCASE("it waits for the refusal") {
      queue.pods.on_pod(told("p", 4));
      CHECK(queue.next() == 0);
      queue.pods.on_pod(given_up(told("p", 5)));
      CHECK(queue.next() != 0);
    }
    SUBCASE("both may come as one event") {
      queue.pods.on_pod(given_up(told("p", 5)));
      CHECK(queue.next() != 0);
    }
    SUBCASE("another pod of that name is not the one") {
      Pod other = told("p", 4);
      other.metadata.uid = "another";
      queue.pods.on_pod(other);
      queue.pods.on_pod([&] {
        Pod failed = given_up(other);
        failed.metadata.resource_version = "6";
        return failed;
      }());
      CHECK(queue.next() == 0);
    }
  }

  TEST_CASE("after a start each pod that is refused by then is decided once") {
    OnRequest queue;
    queue.pods.on_pod(given_up(told("p", 5)));
    const auto next = queue.pods.next();
    REQUIRE(next);
    CHECK_FALSE(next->by_eviction);
    CHECK_FALSE(queue.pods.fits_nowhere(next->ticket));
    CHECK(queue.next() == 0);
    queue.clock.advance(1h);
    queue.pods.begin_round();
    CHECK_FALSE(queue.pods.next_look());
  }

  TEST_CASE("a nomination by eviction is dropped where kube-scheduler preempts itself; another is not") {
    for (const bool by_eviction : {true, false}) {
      CAPTURE(by_eviction);
      OnRequest queue;
      queue.pods.on_pod(told("p", 1));
      queue.pods.request(refused("p", 1, by_eviction));
      queue.pods.preempts("default", "p", "uid-p");
      queue.pods.on_pod(given_up(told("p", 2)));
      CHECK((queue.next() != 0) == !by_eviction);
    }
  }

  TEST_CASE("a refused nomination is followed by another one only where a call asks again, after a pause") {
    OnRequest queue;
    queue.pods.on_pod(told("p", 1));
    queue.pods.request(refused("p", 1));
    queue.pods.on_pod(given_up(told("p", 2)));
    const Ticket ticket = queue.next();
    REQUIRE(queue.pods.chosen(ticket, "a"));
    queue.report(ticket, NominationEvent::kWritten, 3);
    queue.pods.on_pod(nominated(given_up(told("p", 3)), "a"));
    bool asked = false;
    SUBCASE("a call") {
      asked = true;
      queue.pods.request(refused("p", 3));
    }
    SUBCASE("none") {}
    queue.pods.on_pod(given_up(told("p", 4), "0/2 nodes are available: a refuses."));
    CHECK(queue.stage() == Stage::kQueued);
    CHECK(queue.next() == 0);
    queue.clock.advance(1s);
    CHECK((queue.next() != 0) == asked);
  }

  TEST_CASE("a nomination stands while kube-scheduler's back-off may go on") {
    OnRequest queue;
    queue.pods.on_pod(told("p", 1));
    queue.pods.request(refused("p", 1));
    queue.pods.on_pod(given_up(told("p", 2)));
    const Ticket ticket = queue.next();
    REQUIRE(queue.pods.chosen(ticket, "a"));
    queue.report(ticket, NominationEvent::kWritten, 3);
    queue.pods.on_pod(nominated(given_up(told("p", 3)), "a"));
    queue.clock.advance(10s);
    CHECK_FALSE(queue.pods.next_doubt());
    queue.clock.advance(2s);
    const auto doubt = queue.pods.next_doubt();
    REQUIRE(doubt);
    CHECK(doubt->doubt == NominationEvent::kUnfollowed);
    // It is taken away, and no other one follows unasked.
    queue.pods.end(doubt->ticket, *doubt->doubt);
    const auto next = queue.pods.next();
    REQUIRE(next);
    CHECK(next->withdraw);
    const auto write = queue.pods.withdraw(next->ticket);
    REQUIRE(write);
    CHECK(write->node.empty());
    queue.report(next->ticket, NominationEvent::kWroteNothing, 4);
    queue.clock.advance(1h);
    CHECK(queue.next() == 0);
  }

  TEST_CASE("a denied write is tried again after a pause, and only while a call asks") {
    OnRequest queue;
    queue.pods.on_pod(told("p", 1));
    queue.pods.request(refused("p", 1));
    queue.pods.on_pod(given_up(told("p", 2)));
    const Ticket ticket = queue.next();
    REQUIRE(queue.pods.chosen(ticket, "a"));
    queue.report(ticket, NominationEvent::kDenied);
    CHECK(queue.stage() == Stage::kQueued);
    queue.clock.advance(1h);
    CHECK(queue.next() == 0);
    queue.pods.request(refused("p", 2));
    queue.clock.advance(WaitingPods::kAttempt);
    CHECK(queue.next() != 0);
  }

  TEST_CASE("a pod that a call has on its way is decided later, and given up in the end") {
    OnRequest queue;
    queue.pods.on_pod(told("p", 1));
    queue.pods.request(refused("p", 1));
    queue.pods.on_pod(given_up(told("p", 2)));
    for (unsigned i = 0; i <= WaitingPods::kMostTries; ++i) {
      const Ticket ticket = queue.next();
      REQUIRE(ticket != 0);
      queue.pods.not_now(ticket);
      CHECK(queue.next() == 0);
      queue.clock.advance(WaitingPods::kNotYet);
    }
    CHECK(queue.next() == 0);
  }

  TEST_CASE("a refused pod is nominated for the best of all nodes, and its time is counted") {
    OnRequestBed bed;
    bed.process.tell(bound(sized(told("other", 1), "2"), "a"));
    bed.process.tell(told("p", 5));
    bed.process.waiting.request(refused("p", 5));
    bed.process.work();
    CHECK(bed.process.writes.empty());
    bed.process.tell(given_up(told("p", 6)));
    bed.process.work();
    REQUIRE(bed.process.writes.size() == 1);
    CHECK(bed.process.writes.front().node == "b");
    CHECK(bed.process.assumed("p") == "b");
    bed.process.waiting.report(
        {.ticket = bed.process.writes.front().ticket, .event = NominationEvent::kWritten, .version = 7});
    bed.clock.advance(2s);
    bed.process.tell(bound(told("p", 8), "b"));
    bed.process.work();
    CHECK(bed.process.ended(NominationOutcome::kFollowed) == 1);
    const std::string page = bed.process.metrics.render();
    CHECK(page.find("winnow_refused_by_sample_bound_seconds_count 1\n") != std::string::npos);
    CHECK(page.find("winnow_refused_by_sample_bound_seconds_sum 2\n") != std::string::npos);
  }

  TEST_CASE("where no node fits, one is nominated that evictions free: for a call that asks so") {
    for (const bool by_eviction : {true, false}) {
      CAPTURE(by_eviction);
      OnRequestBed bed;
      bed.process.tell(bound(sized(with_priority(told("one", 1), 4), "2"), "a"));
      bed.process.tell(bound(sized(with_priority(told("two", 2), 3), "2"), "b"));
      bed.process.tell(with_priority(told("p", 5), 9));
      bed.process.waiting.request(refused("p", 5, by_eviction));
      bed.process.tell(with_priority(given_up(told("p", 6)), 9));
      bed.process.work();
      REQUIRE(bed.process.writes.size() == (by_eviction ? 1 : 0));
      if (!by_eviction) continue;
      CHECK(bed.process.writes.front().node == "b");
      // It does not fit there, and still the nomination stands.
      bed.process.waiting.report(
          {.ticket = bed.process.writes.front().ticket, .event = NominationEvent::kWritten, .version = 7});
      bed.process.tell(nominated(with_priority(given_up(told("p", 7)), 9), "b"));
      bed.clock.advance(6s);
      bed.process.work();
      CHECK(bed.process.ended(NominationOutcome::kNoLongerFits) == 0);
      CHECK(bed.process.writes.size() == 1);
    }
  }

  TEST_CASE("pods that are refused at once get different places") {
    OnRequestBed bed;
    for (int i = 0; i < 5; ++i) {
      const std::string name = "p" + std::to_string(i);
      bed.process.tell(told(name, 10 + i));
      bed.process.waiting.request(refused(name, static_cast<std::uint64_t>(10 + i)));
    }
    for (int i = 0; i < 5; ++i) bed.process.tell(given_up(told("p" + std::to_string(i), 20 + i)));
    bed.process.work();
    CHECK(bed.process.writes.size() == 4);  // Two CPUs on each of two nodes.
    CHECK(bed.process.assumed_count() == 4);
  }
}

}  // namespace winnow::test
