// Decisions of the nominator, as they are kept, and what became of them.
#include <doctest/doctest.h>

#include "tests/extender/explain/records.h"
#include "tests/extender/nominate/nominating.h"

namespace winnow::test {
namespace {

using Words = std::vector<std::string>;

/// A nominator that keeps its decisions, over nodes a and b of two CPUs.
struct KeepingBed {
  explicit KeepingBed(const std::vector<std::string>& nodes = {"a", "b"}) {
    for (const std::string& name : nodes) process.set_node(roomy_node(name, "2"));
  }
  std::string nominate(const Pod& pod) {
    tell(pod);
    return process.writes.empty() ? "" : process.writes.back().node;
  }
  void tell(const Pod& pod) {
    log->on_pod(pod);
    process.tell(pod);
    process.work();
  }
  /// The API server has the nomination, and the watch shows it.
  void write() {
    process.waiting.report(
        {.ticket = process.writes.back().ticket, .event = NominationEvent::kWritten, .version = 10});
    tell(nominated(told("p", 10), process.writes.back().node));
  }

  live::test::ManualClock clock;
  std::shared_ptr<DecisionLog> log = std::make_shared<DecisionLog>(10);
  NominatorService process{{.clock = clock, .decision_log = log}};
};

TEST_SUITE("kept nominations") {
  TEST_CASE("a nomination has the scores of both nodes") {
    KeepingBed bed;
    const std::string node = bed.nominate(told("p", 1));
    const auto all = all_of(*bed.log);
    REQUIRE(all.size() == 1);
    const DecisionRecord& record = *all[0].record;
    CHECK(record.pod == "default/p");
    CHECK(record.nodes == 2);
    CHECK(record.scored == 2);
    REQUIRE(record.best.size() == 2);
    CHECK(record.best[0].node == node);
    CHECK(record.best[0].scores.size() == record.rules->priorities.size());
    CHECK(record.given);
  }

  TEST_CASE("a pod that fits nowhere is kept with the reasons") {
    KeepingBed bed({});
    bed.process.set_node(roomy_node("small", "500m"));
    CHECK(bed.nominate(told("p", 1)).empty());
    CHECK(words_of(*bed.log) == Words{"p nominate nowhere"});
    CHECK(nowhere_message(*all_of(*bed.log).front().record) ==
          "0/1 nodes are available: 1 Insufficient cpu.");
  }

  TEST_CASE("a pod that gets no nomination is kept with the reason, once") {
    KeepingBed bed;
    CHECK(bed.nominate(with_resource_claims(told("p", 1))).empty());
    bed.process.waiting.reconsider();
    bed.process.work();
    const auto all = all_of(*bed.log);
    REQUIRE(all.size() == 1);
    CHECK(all.front().record->error == "it has resource claims, which are not judged");
  }

  TEST_CASE("what becomes of a nomination") {
    struct Row {
      const char* sentence;
      std::function<void(KeepingBed&, const std::string& node)> happens;
      Words words;
    };
    const auto other = [](const std::string& node) { return node == "a" ? "b" : "a"; };
    const Row rows[] = {
        {"it is followed",
         [](KeepingBed& bed, const std::string& node) { bed.tell(bound(told("p", 20), node)); },
         {"p nominate bound"}},
        {"it is bound elsewhere",
         [=](KeepingBed& bed, const std::string& node) { bed.tell(bound(told("p", 20), other(node))); },
         {"p nominate elsewhere"}},
        {"kube-scheduler refuses it, and the other node is next",
         [](KeepingBed& bed, const std::string&) {
           bed.tell(given_up(told("p", 20)));
           bed.clock.advance(std::chrono::seconds(1));
           bed.process.work();
         },
         {"p nominate waiting", "p nominate refused"}},
        {"somebody else nominates it",
         [=](KeepingBed& bed, const std::string& node) {
           bed.tell(nominated(told("p", 20), other(node), "kube-scheduler"));
         },
         {"p nominate withdrawn"}},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      KeepingBed bed;
      const std::string node = bed.nominate(told("p", 1));
      bed.write();
      row.happens(bed, node);
      CHECK(words_of(*bed.log) == row.words);
    }
  }
}

}  // namespace
}  // namespace winnow::test
