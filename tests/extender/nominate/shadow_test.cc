// What a shadow finds, on which cache, and what becomes of it.
#include "extender/nominate/shadow.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <new>
#include <thread>

#include "extender/explain/decisions_json.h"
#include "tests/extender/nominate/shadow_bed.h"

namespace winnow::test {

namespace {

using Results = std::vector<std::string>;

/// Today's filters, and a rule that refuses these nodes.
RuleSet also_full_on(std::vector<std::string> nodes) {
  RuleSet rules = by_digits();
  rules.predicates.push_back(full_on(std::move(nodes)));
  return rules;
}

TEST_SUITE("shadow") {
  TEST_CASE("where the pod was bound, held against where it would go") {
    struct Row {
      const char* sentence;
      const char* node;
      const char* result;
      const char* text;
    };
    const Row rows[] = {
        {"the same", "n7", "p same",
         "it would go to n7, where it was bound: 7 against 5 for m5; Digit made the difference (+2)"},
        {"less", "n3", "p other",
         "it would go to n7: 7 against 3 for n3, where it was bound; Digit made the difference (+4)"},
        {"refused", "n9", "p other", "it would go to n7, but it was bound to n9, refused by Full (full)"},
        {"unknown", "far", "p other",
         "it would go to n7, but it was bound to far: a node that the picture does not have"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      ShadowBed bed(also_full_on({"n9"}));
      bed.nodes({"n3", "n7", "n9", "m5"});
      bed.goes(told("p", 1), row.node, 2);
      CHECK(bed.work() == 1);
      CHECK(bed.results() == Results{row.result});
      CHECK(bed.last_text() == row.text);
      CHECK(bed.last().resource_version == 2);
    }
  }

  TEST_CASE("nodes of the same total tie, whichever is drawn") {
    int same = 0, ties = 0;
    for (int i = 0; i < 40; ++i) {
      ShadowBed bed;
      bed.nodes({"a7", "b7", "c3"});
      bed.goes(told("p" + std::to_string(i), 1), "b7", 2);
      bed.work();
      const ShadowFigures figures = bed.shadow.figures();
      same += static_cast<int>(figures.same);
      ties += static_cast<int>(figures.tie);
      if (figures.tie == 1)
        CHECK(bed.last_text() ==
              "it would go to a7: 7 against 7 for b7, where it was bound; a tie, drawn by lot");
    }
    CHECK(same + ties == 40);
    CHECK(same > 0);
    CHECK(ties > 0);
  }

  TEST_CASE("the node where it was bound stands behind the pick, however far behind it ranks") {
    ShadowBed bed;
    bed.nodes({"n1", "n2", "n6", "n7", "n8", "n9"});
    bed.goes(told("p", 1), "n1", 2);
    bed.work();
    const DecisionRecord record = bed.last();
    REQUIRE(record.best.size() == 3);
    CHECK(record.best[0].node == "n9");
    CHECK(record.best[1].node == "n1");
    CHECK(record.best[2].node == "n8");
    CHECK(record.scored == 6);
  }

  TEST_CASE("a pod that was bound though no node fits, and one that was refused though one does") {
    ShadowBed bed(also_full_on({"n3"}));
    bed.nodes({"n3"});
    bed.goes(told("p", 1), "n3", 2);
    bed.work();
    CHECK(bed.last_text() ==
          "nowhere, but it was bound to n3, refused by Full (full); 0/1 nodes are available: 1 full.");
    bed.first.tell({told("q", 3)});
    bed.first.tell({given_up(told("q", 4), "0/1 nodes are available: 1 full.")});
    bed.work();
    CHECK(bed.last_text() ==
          "nowhere, and kube-scheduler found no node either: 0/1 nodes are available: 1 full.");
    bed.nodes({"n4"});
    bed.first.tell({given_up(told("q", 5), "preempts")});
    bed.work();
    CHECK(bed.last_text() ==
          "it would go to n4, the only one of 2 nodes that fits, but kube-scheduler refused it: preempts");
    CHECK(bed.results() == Results{"p nowhere", "q same", "q refused"});
    std::string json;
    append_decision(json, all_of(*bed.log).back());
    CHECK(json.contains(R"("verb":"shadow")"));
    CHECK(json.contains(
        R"("refusedThere":[{"rule":"Full","nodes":1,"reasons":[{"reason":"full","nodes":1}]}])"));
    CHECK(json.contains(R"("result":"nowhere","boundTo":"n3")"));
  }

  TEST_CASE("all rules that refuse the node where it was bound are named") {
    RuleSet rules = also_full_on({"n9"});
    rules.predicates.push_back(never_on({"n9"}));
    ShadowBed bed(rules);
    bed.nodes({"n3", "n9"});
    bed.goes(told("p", 1), "n9", 2);
    bed.work();
    CHECK(bed.last_text() ==
          "it would go to n3, but it was bound to n9, refused by Full (full) and Never (not \"here\")");
  }

  TEST_CASE("the pod itself does not count, and pods that were bound later do not either") {
    Generation generation = Generation::kToday;
    SUBCASE("today's rules") {}
    SUBCASE("classic ones") { generation = Generation::kClassic; }
    const auto in_batch = [](ShadowBed& bed) {
      bed.first.tell({told("p3", 1), told("p2", 2), told("p1", 3), bound(told("p3", 11), "n3"),
                      bound(told("p2", 12), "n2"), bound(told("p1", 13), "n1")});
    };
    const auto one_by_one = [](ShadowBed& bed) {
      for (const Pod& waiting : {told("p3", 1), told("p2", 2), told("p1", 3)}) bed.first.tell({waiting});
      bed.first.tell({bound(told("p3", 11), "n3")});
      bed.first.tell({bound(told("p2", 12), "n2")});
      bed.first.tell({bound(told("p1", 13), "n1")});
    };
    const auto by_a_list = [](ShadowBed& bed) {  // In order of their names.
      bed.first.tell({told("p3", 1), told("p2", 2), told("p1", 3)});
      bed.first.tell({bound(told("p1", 13), "n1"), bound(told("p2", 12), "n2"), bound(told("p3", 11), "n3"),
                      told("last", 20)});
    };
    for (const auto& tell :
         std::initializer_list<std::function<void(ShadowBed&)>>{in_batch, one_by_one, by_a_list}) {
      ShadowBed bed(by_digits(generation));
      bed.nodes({"n1", "n2", "n3"}, 1);
      tell(bed);
      CHECK(bed.work() == 3);
      CHECK(bed.shadow.figures().same == 3);
    }
  }

  TEST_CASE("bindings that overtake each other: pods of one lane are decided in the order of the queue") {
    ShadowBed bed;
    bed.nodes({"n1", "n2", "n3"}, 1);
    bed.first.tell({told("p3", 1), told("p2", 2), told("p1", 3)});
    bed.first.tell({bound(told("p1", 11), "n1")});
    CHECK(bed.work() == 0);  // The bindings of the other two are on their way.
    bed.first.tell({bound(told("p2", 12), "n2")});
    CHECK(bed.work() == 0);
    bed.first.tell({bound(told("p3", 13), "n3")});
    CHECK(bed.work() == 3);
    CHECK(bed.results() == Results{"p1 same", "p2 same", "p3 same"});
  }

  TEST_CASE("for whom a decision waits, and for whom it does not") {
    struct Row {
      const char* sentence;
      Pod earlier;
      std::vector<Pod> then;  ///< What becomes of that one before the binding.
      bool waits;
    };
    Pod other_lane = told("q", 1);
    other_lane.spec.scheduler_name = "other";
    Pod deleting = told("q", 3);
    deleting.metadata.deleting = true;
    Pod open = told("q", 3);
    const Row rows[] = {
        {"an earlier pod", told("q", 1), {}, true},
        {"one of another scheduler", other_lane, {}, false},
        {"one of another priority", with_priority(told("q", 1), 5), {}, false},
        {"one that kube-scheduler has refused", told("q", 1), {given_up(told("q", 3))}, false},
        {"one that was refused before it was seen", given_up(told("q", 1)), {}, false},
        {"one that is being deleted", told("q", 1), {deleting}, false},
        {"a gated one", gated(told("q", 1), {"g"}), {}, false},
        {"one whose gate goes later", gated(told("q", 1), {"g"}), {open}, false},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      ShadowBed bed;
      bed.nodes({"n1"});
      bed.first.tell({row.earlier, told("p", 2)});
      for (const Pod& event : row.then) bed.first.tell({event});
      bed.first.tell({bound(told("p", 4), "n1")});
      bed.work();
      const Results results = bed.results();
      CHECK((std::ranges::find(results, "p same") == results.end()) == row.waits);
    }
    ShadowBed impatient(by_digits(), {}, {.patience = std::chrono::nanoseconds(0)});
    impatient.nodes({"n1", "n2"}, 1);
    impatient.first.tell({told("q", 1), told("p", 2), bound(told("p", 3), "n2")});
    CHECK(impatient.work() == 1);
    impatient.first.tell({bound(told("q", 4), "n1")});  // It counts as decided later from now on.
    CHECK(impatient.work() == 1);
    CHECK(impatient.results() == Results{"p same", "q same"});
  }

  TEST_CASE("a refusal is judged on the picture of its time, too") {
    ShadowBed bed;
    bed.nodes({"n1"}, 1);
    bed.first.tell({told("p", 1), told("q", 2), bound(told("p", 3), "n1")});
    bed.first.tell({given_up(told("q", 4))});
    CHECK(bed.work() == 2);
    CHECK(bed.results() == Results{"p same", "q same"});
    bed.first.tell({given_up(told("q", 5), "another text"), told("r", 6)});
    bed.first.write({told("s", 7)});
    CHECK(bed.work() == 0);  // The cache has what the shadow was not told yet.
    bed.first.hand_on({told("s", 7)});
    CHECK(bed.work() == 1);
    CHECK(bed.results().back() == "q same");
  }

  TEST_CASE("a pod that was bound later, and whose name another pod has by now") {
    ShadowBed bed;
    bed.nodes({"n1", "n3"}, 1);
    bed.first.tell({told("p", 1), told("q", 2), bound(told("p", 3), "n3"), bound(told("q", 4), "n1")});
    Pod next = bound(told("q", 6), "n1");
    next.metadata.uid = "another";
    bed.first.tell({next});
    CHECK(bed.work() == 2);
    CHECK(bed.results() == Results{"p same", "q nowhere"});  // The next one has taken its place.
  }

  TEST_CASE("a nominated node is asked about first, by today's rules") {
    struct Row {
      Generation generation;
      const char* node;
      const char* text;
    };
    const Row rows[] = {
        {Generation::kToday, "n1", "it would go to n1, where it was nominated and bound"},
        {Generation::kToday, "n3", "it would go to n1, its nominated node, but it was bound to n3"},
        {Generation::kClassic, "n3",
         "it would go to n3, where it was bound: 3 against 1 for n1; Digit made the difference (+2)"},
    };
    for (const Row& row : rows) {
      ShadowBed bed(by_digits(row.generation));
      bed.nodes({"n1", "n3"});
      bed.goes(nominated(told("p", 1), "n1", "autoscaler"), row.node, 2);
      bed.work();
      CHECK(bed.last_text() == row.text);
    }
    ShadowBed bed;
    bed.nodes({"n1", "n3"});
    bed.first.set_node(digit_node("n5", 0));
    bed.goes(nominated(told("p", 1), "n5", "autoscaler"), "n3", 2);
    bed.work();
    CHECK(bed.results() == Results{"p same"});  // It does not fit there.
  }

  TEST_CASE("pods of other schedulers are not decided") {
    for (const bool named : {false, true}) {
      Shadow::Options options;
      if (named) options.schedulers = {"other"};
      ShadowBed bed(by_digits(), options);
      bed.nodes({"n1"});
      for (const std::string scheduler : {"default-scheduler", "other"}) {
        Pod pod = told("of-" + scheduler, 1);
        pod.spec.scheduler_name = scheduler;
        bed.goes(pod, "n1", 2);
      }
      CHECK(bed.work() == 2);
      CHECK(bed.results() == Results{named ? "of-other same" : "of-default-scheduler same"});
      CHECK(bed.shadow.figures().queued == 0);
    }
  }

  TEST_CASE("a pod of another scheduler waits for nobody, and holds nobody up") {
    ShadowBed bed;
    bed.nodes({"n1"});
    std::vector<Pod> others;
    for (int i = 1; i <= 2; ++i) {
      others.push_back(told("other-" + std::to_string(i), i));
      others.back().spec.scheduler_name = "other";
    }
    bed.first.tell(others);
    others.back().metadata.resource_version = "3";
    bed.first.tell({bound(others.back(), "n1")});  // The first one of its lane is still to come.
    bed.goes(told("p", 4), "n1", 5);
    CHECK(bed.work() == 2);
    CHECK(bed.results() == Results{"p same"});
    CHECK(bed.shadow.figures().dropped == 0);
  }

  TEST_CASE("nothing is decided while the picture may not be used, and nothing is lost") {
    ShadowBed bed;
    bed.cache_status.why = "stale";
    bed.nodes({"n1"});
    bed.goes(told("p", 1), "n1", 2);
    CHECK(bed.work() == 0);
    CHECK(bed.shadow.figures().queued == 1);
    bed.cache_status.why.clear();
    CHECK(bed.work() == 1);
    CHECK(bed.shadow.figures().same == 1);
    CHECK(bed.shadow.figures().queued == 0);
    CHECK(bed.shadow.figures().lag_seconds == 0);
  }

  TEST_CASE("while a lost picture is read again, nothing is decided") {
    ShadowBed bed;
    ClusterCache& cache = *bed.first.cache();
    cache.add_source();
    bed.nodes({"n1"});
    bed.goes(told("p", 1), "n1", 2);
    CHECK_THROWS_AS(cache.write([](State&) { throw std::bad_alloc(); }), std::bad_alloc);
    CHECK(bed.work() == 0);
    bed.nodes({"n1"});
    bed.first.write({bound(told("p", 2), "n1")});
    cache.write([&](State&) { cache.source_listed(); });
    CHECK(bed.work() == 1);
    CHECK(bed.results() == Results{"p same"});
  }

  TEST_CASE("while a configuration is exchanged, each decision counts once, and on a picture that has it") {
    ShadowBed bed;
    bed.nodes({"n1", "n3"}, 1);
    WatchedCache second(bed.told, kTodaysOptions);
    for (const char* name : {"n1", "n3"}) second.set_node(digit_node(name, 1));
    const std::vector<Pod> waiting = {told("p", 1), told("q", 2)};
    const std::vector<Pod> events = {bound(told("p", 11), "n3"), bound(told("q", 12), "n1")};
    bed.first.tell(waiting);
    second.tell(waiting);
    second.tell(events);  // The cache in force is behind.
    CHECK(bed.work() == 0);
    SUBCASE("it comes up") {
      bed.first.tell(events);
      CHECK(bed.work() == 2);
    }
    SUBCASE("the other one comes into force, and the first tells late") {
      bed.exchange(second);
      CHECK(bed.work() == 2);
      bed.first.tell(waiting);
      bed.first.tell(events);
      CHECK(bed.work() == 0);
    }
    CHECK(bed.results() == Results{"p same", "q same"});
  }

  TEST_CASE("a decision whose picture cannot be told any more is dropped") {
    ShadowBed bed(by_digits(), {}, {.most = 10, .remembered = 2});
    bed.nodes({"n1"}, 9);
    for (int i = 0; i < 4; ++i) bed.goes(told("p" + std::to_string(i), i + 1), "n1", 10 + i);
    bed.work();
    CHECK(bed.results() == Results{"p1 same", "p2 same", "p3 same"});
    CHECK(bed.shadow.figures().dropped == 1);
  }

  TEST_CASE("what takes too long, and rules that fail, are counted apart") {
    RuleSet broken = by_digits();
    broken.priorities.push_back(broken_priority());
    ShadowBed failing(broken);
    failing.nodes({"n1", "n2"});
    failing.goes(told("p", 1), "n1", 2);
    failing.work();
    CHECK(failing.shadow.figures().failed == 1);
    CHECK(failing.last_text() == "it failed: running PreScore plugin \"Broken\": this priority is broken");
    ShadowBed slow(by_digits(), {.longest = std::chrono::nanoseconds(0)});
    slow.nodes({"n1", "n2"});
    slow.goes(told("p", 1), "n1", 2);
    slow.work();
    CHECK(slow.shadow.figures().too_long == 1);
    CHECK(slow.shadow.figures().failed == 0);
    CHECK(slow.results() == Results{"p error"});
  }

  TEST_CASE("a thread keeps its picture, while the watch goes on") {
    constexpr int kPods = 300;
    ShadowBed bed;
    for (int digit = 0; digit < 10; ++digit)
      for (int i = 0; i < kPods / 10; ++i)
        bed.first.set_node(digit_node("m" + std::to_string(i) + "-" + std::to_string(digit), 1));
    std::jthread thread([&](const std::stop_token& stop) { bed.shadow.run(stop); });
    // kube-scheduler: the highest digit first.
    int version = 1;
    for (int digit = 9; digit >= 0; --digit)
      for (int i = 0; i < kPods / 10; i += 3) {
        std::vector<Pod> events;
        for (int j = i; j < i + 3; ++j) {
          const std::string name = std::to_string(digit) + "-" + std::to_string(j);
          events.push_back(told(name, version++));
          events.push_back(
              bound(told(name, version++), "m" + std::to_string(j) + "-" + std::to_string(digit)));
        }
        bed.first.tell(events);
      }
    while (bed.shadow.figures().queued > 0) std::this_thread::yield();
    thread.request_stop();
    thread.join();
    const ShadowFigures figures = bed.shadow.figures();
    // Nodes of one digit tie.
    CHECK(figures.same + figures.tie == kPods);
    CHECK(figures.other == 0);
    CHECK(figures.nowhere == 0);
    CHECK(figures.dropped == 0);
  }
}

}  // namespace
}  // namespace winnow::test
