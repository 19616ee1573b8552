// What is written for a pod, and which news of a write counts.
#include <doctest/doctest.h>

#include "extender/nominate/waiting_pods.h"
#include "tests/extender/nominate/told_pods.h"

namespace winnow::test {
TEST_SUITE("waiting pods") {
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
}

}  // namespace winnow::test
