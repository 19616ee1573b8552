// Which events are decisions of kube-scheduler, and which pods were bound later.
#include "extender/nominate/scheduler_decisions.h"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/extender/nominate/told_pods.h"

namespace winnow::test {
namespace {

using ToldLines = std::vector<std::string>;

Pod at(Pod pod, int version) {
  pod.metadata.resource_version = std::to_string(version);
  return pod;
}
Pod refused_for(int version, const std::string& text) { return given_up(told("p", version), text); }
Pod goes_to(int version, const std::string& node) { return bound(told("p", version), node); }
Pod ungated(Pod pod) {
  pod.spec.scheduling_gates.clear();
  return pod;
}

/// "p>node" or "p!text" for each decision, with "@NOMINATED"; takes all out.
ToldLines take_all(SchedulerDecisions& told) {
  ToldLines lines;
  for (auto one = told.front(); one; one = told.front()) {
    const std::string& nominated = one->pod.status.nominated_node_name;
    lines.push_back(one->pod.metadata.name + (one->node.empty() ? "!" + one->said : ">" + one->node) +
                    (nominated.empty() ? "" : "@" + nominated));
    CHECK(one->pod.spec.node_name.empty());
    CHECK(told.done(*one));
  }
  return lines;
}

using Known = SchedulerDecisions::Known;

/// What is known after a decision of that version, of a pod whose turn nobody knows.
Known known_after(SchedulerDecisions& told, std::uint64_t version, std::uint64_t cache_told) {
  std::vector<BoundPod> pods;
  return told.decided_after({.version = version}, cache_told, pods);
}

ToldLines bound_later(SchedulerDecisions& told, std::uint64_t version, std::uint64_t cache_told) {
  std::vector<BoundPod> pods;
  REQUIRE(told.decided_after({.version = version}, cache_told, pods) == Known::kAll);
  ToldLines names;
  for (const BoundPod& pod : pods) names.push_back(pod.name);
  return names;
}

TEST_SUITE("shadow: what is told") {
  TEST_CASE("which events are decisions") {
    const auto by_scheduler = [](const Pod& pod, const std::string& node) {
      return nominated(pod, node, "kube-scheduler");
    };
    Pod other = told("p", 3);
    other.metadata.uid = "another";
    Pod failing = told("p", 2);
    failing.status.conditions = {{"PodScheduled", "False", "SchedulerError", "reserve: no"}};
    Pod deleting = told("p", 2);
    deleting.metadata.deleting = true;
    struct Row {
      const char* sentence;
      std::vector<Pod> events;
      ToldLines decisions;
    };
    const Row rows[] = {
        {"a pod that waits", {told("p", 1)}, {}},
        {"it is bound", {told("p", 1), goes_to(2, "a")}, {"p>a"}},
        {"what follows is none", {told("p", 1), goes_to(2, "a"), goes_to(3, "a")}, {"p>a"}},
        {"it was bound before it was seen", {goes_to(2, "a"), goes_to(3, "a")}, {}},
        {"it was refused before it was seen", {refused_for(1, "no"), refused_for(2, "no")}, {}},
        {"and again, with another text", {refused_for(1, "no"), refused_for(2, "none")}, {"p!none"}},
        {"each text counts once",
         {told("p", 1), refused_for(2, "no"), refused_for(3, "no"), refused_for(4, "none"),
          refused_for(5, "no")},
         {"p!no", "p!none"}},
        {"refused and then bound", {told("p", 1), refused_for(2, "no"), goes_to(3, "a")}, {"p!no", "p>a"}},
        {"an error of kube-scheduler's", {told("p", 1), failing}, {}},
        {"a gated pod", {gated(told("p", 1), {"g"}), at(gated(told("p", 1), {"g"}), 2)}, {}},
        {"a gated pod with a text of before", {told("p", 1), gated(told("p", 2), {"g"})}, {}},
        {"its gate goes, and it is bound",
         {gated(told("p", 1), {"g"}), at(ungated(gated(told("p", 1), {"g"})), 2), goes_to(3, "a")},
         {"p>a"}},
        {"it is deleted before", {told("p", 1), deleting, goes_to(3, "a")}, {}},
        {"another pod of its name is bound", {told("p", 1), bound(other, "a")}, {}},
        {"the event of another picture, which is older",
         {told("p", 3), at(given_up(told("p", 1), "no"), 2), goes_to(4, "a")},
         {"p>a"}},
        {"another picture tells all of it again",
         {told("p", 1), refused_for(2, "no"), goes_to(3, "a"), told("p", 1), refused_for(2, "no"),
          goes_to(3, "a")},
         {"p!no", "p>a"}},
        {"a nomination by somebody else",
         {told("p", 1), nominated(told("p", 2), "n", "autoscaler"), goes_to(3, "a")},
         {"p>a@n"}},
        {"a nomination after a preemption comes with a refusal, which was made without it",
         {told("p", 1), by_scheduler(refused_for(2, "no"), "n"), by_scheduler(goes_to(3, "n"), "n")},
         {"p!no", "p>n@n"}},
        {"kube-scheduler tells early what it has decided: that does not count",
         {told("p", 1), by_scheduler(told("p", 2), "a"), goes_to(3, "a")},
         {"p>a"}},
        {"so it does in place of the node of a preemption, which did not fit",
         {told("p", 1), by_scheduler(refused_for(2, "no"), "n"), by_scheduler(refused_for(3, "no"), "a"),
          goes_to(4, "a")},
         {"p!no", "p>a"}},
        {"a nomination that is taken back",
         {told("p", 1), nominated(told("p", 2), "n", "autoscaler"), told("p", 3), goes_to(4, "a")},
         {"p>a"}},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      SchedulerDecisions told;
      for (const Pod& event : row.events) told.on_pod(event);
      CHECK(take_all(told) == row.decisions);
    }
  }

  TEST_CASE("labels that a binding adds were not there when it was decided") {
    SchedulerDecisions told;
    told.on_pod(test::told("p", 1));
    Pod event = goes_to(2, "a");
    event.metadata.labels["topology.kubernetes.io/zone"] = "z";
    told.on_pod(event);
    REQUIRE(told.front());
    CHECK(told.front()->pod.metadata.labels.empty());
  }

  TEST_CASE("a pod that is gone is forgotten, but not by an event about an earlier one") {
    SchedulerDecisions told;
    told.on_pod(test::told("p", 5));
    SUBCASE("an earlier one") {
      told.on_gone("default", "p", 4);
      told.on_pod(goes_to(6, "a"));
      CHECK(take_all(told) == ToldLines{"p>a"});
    }
    SUBCASE("this one") {
      told.on_gone("default", "p", 6);
      told.on_pod(goes_to(7, "a"));
      CHECK(take_all(told).empty());
    }
    SUBCASE("this one, of which another picture tells late") {
      told.on_gone("default", "p", 6);
      told.on_pod(test::told("p", 5));
      told.on_pod(goes_to(7, "a"));
      CHECK(take_all(told).empty());
    }
  }

  TEST_CASE("which pods were bound after a version") {
    SchedulerDecisions told({.most = 10, .remembered = 3});
    for (int i = 1; i <= 4; ++i) {
      const std::string name = "p" + std::to_string(i);
      told.on_pod(test::told(name, i));
      told.on_pod(bound(test::told(name, 10 * i), "a"));
    }
    CHECK(known_after(told, 10, 40) == Known::kNotYet);
    told.on_told(40);
    CHECK(bound_later(told, 10, 40) == ToldLines{"p2", "p3", "p4"});
    CHECK(bound_later(told, 30, 40) == ToldLines{"p4"});
    CHECK(bound_later(told, 40, 40).empty());
    CHECK(bound_later(told, 0, 40).empty());             // A version that nobody knows.
    CHECK(known_after(told, 40, 39) == Known::kNotYet);  // The cache is behind.
    CHECK(known_after(told, 9, 40) == Known::kForgotten);
    CHECK(known_after(told, 40, 41) == Known::kNotYet);
  }

  TEST_CASE("the queue is bounded: the oldest decisions are dropped, and counted") {
    SchedulerDecisions told({.most = 2});
    told.on_pod(test::told("p", 1));
    for (int i = 2; i <= 4; ++i) told.on_pod(refused_for(i, std::to_string(i)));
    const auto in_hand = told.front();
    told.on_pod(refused_for(5, "5"));
    CHECK_FALSE(told.done(*in_hand));  // It was dropped while it was judged.
    CHECK(told.figures().queued == 2);
    CHECK(told.figures().dropped == 2);
    told.drop(*told.front());
    CHECK(take_all(told) == ToldLines{"p!5"});
    CHECK(told.figures().dropped == 3);
  }

  TEST_CASE("when etcd was restored, what waits is dropped, and lower versions count") {
    SchedulerDecisions told;
    told.on_pod(test::told("q", 90));
    told.on_pod(test::told("p", 100));
    told.on_pod(goes_to(101, "a"));
    told.on_told(101);
    told.on_rewind();
    CHECK(told.figures().queued == 0);
    CHECK(told.figures().dropped == 1);
    CHECK(known_after(told, 5, 6) == Known::kNotYet);
    told.on_pod(test::told("p", 3));  // Its binding is undone.
    told.on_pod(bound(test::told("q", 4), "a"));
    told.on_pod(goes_to(5, "b"));
    told.on_told(5);
    CHECK(take_all(told) == ToldLines{"q>a", "p>b"});
    CHECK(bound_later(told, 4, 5) == ToldLines{"p"});
  }
}

}  // namespace
}  // namespace winnow::test
