// Doubts about assumed pods, and what an API server says of the pods then. Time is the test's.
#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "cluster/state/assumed_pods.h"
#include "tests/builders.h"
#include "tests/storage.h"

namespace winnow::test {
namespace {

using namespace std::chrono_literals;
constexpr AssumedPods::Time kAssumed{1h};

/// A pod `web` that is assumed on node a, as the watch has shown it before.
struct Doubts {
  State state;
  AssumedPods pods{state};

  Doubts() : Doubts(waiting()) {}
  explicit Doubts(const Pod& asked, bool watched = true) {
    for (const char* name : {"a", "b"}) state.set_node(node(name).cpu("4").pods("10"));
    if (watched) pods.set(asked, kAssumed);
    pods.assume(asked, "a", kAssumed);
  }

  static Pod waiting() { return waiting(""); }
  static Pod waiting(const std::string& nominated) {
    Pod made = pod("web").uid("u1").cpu("1");
    made.metadata.resource_version = "7";
    made.status.nominated_node_name = nominated;
    return made;
  }
  static Pod on(const std::string& node) {
    Pod made = waiting();
    made.spec.node_name = node;
    return made;
  }
  AssumedPods::Attempt attempt() const { return {"default", "web", "u1", "a", kAssumed}; }
  bool is_due(AssumedPods::Time now) { return pods.may_look_up(now) && !pods.to_look_up(now, 9).empty(); }
  bool is_assumed() const { return pods.find("default", "web") != nullptr; }
  std::uint64_t ended(AssumedOutcome outcome) const {
    return pods.outcomes()[static_cast<std::size_t>(outcome)];
  }
};

TEST_SUITE("assumed doubts") {
  TEST_CASE("a pod is looked up when it has been in doubt for a while") {
    struct Row {
      const char* sentence;
      std::function<void(Doubts&)> happens;
      AssumedPods::Time::duration from;  ///< 0: never.
    };
    const auto doubted = [](Doubts& bed, Doubt why) { bed.pods.doubt(bed.attempt(), why, kAssumed); };
    const auto refused = [](Doubts& bed) {
      Pod seen = Doubts::waiting();
      seen.metadata.resource_version = "8";
      seen.status.conditions.push_back({"PodScheduled", "False", "Unschedulable", "0/2 nodes"});
      bed.pods.set(seen, kAssumed);
    };
    const Row rows[] = {
        {"nothing has happened", [](Doubts&) {}, 0s},
        {"kube-scheduler does not count it", [&](Doubts& bed) { doubted(bed, Doubt::kNotCounted); }, 1s},
        {"its condition may be the attempt's before", refused, 5s},
        {"its condition, and then kube-scheduler does not count it",
         [&](Doubts& bed) {
           refused(bed);
           doubted(bed, Doubt::kNotCounted);
         },
         1s},
        {"its nomination is taken back",
         [](Doubts& bed) {
           bed.pods.set(Doubts::waiting("a"), kAssumed);
           bed.pods.set(Doubts::waiting(), kAssumed);
         },
         1s},
        {"kube-scheduler is preparing it",
         [&](Doubts& bed) {
           bed.pods.set(Doubts::waiting("a"), kAssumed);
           doubted(bed, Doubt::kVolumeGone);
         },
         0s},
        {"an API server has bound it",
         [&](Doubts& bed) {
           bed.pods.set_bound("default", "web", "u1", "a");
           doubted(bed, Doubt::kNotCounted);
         },
         0s},
        {"the doubt is about an attempt before",
         [](Doubts& bed) {
           AssumedPods::Attempt before = bed.attempt();
           before.since -= 1s;
           bed.pods.doubt(before, Doubt::kNotCounted, kAssumed);
         },
         0s},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      Doubts bed;
      row.happens(bed);
      if (row.from == 0s) {
        CHECK_FALSE(bed.is_due(kAssumed + 1h));
        continue;
      }
      CHECK_FALSE(bed.is_due(kAssumed + row.from - 1ms));
      CHECK(bed.is_due(kAssumed + row.from));
      CHECK_FALSE(bed.is_due(kAssumed + row.from + 4s));  // It is asked about already.
      CHECK(bed.is_due(kAssumed + row.from + AssumedPods::kUnseen));
      CHECK(bed.is_assumed());
    }
  }

  TEST_CASE("a pod that no watch has shown is looked up, whatever its resource version") {
    Pod phantom = Doubts::waiting();
    phantom.metadata.resource_version = "9223372036854775807";
    Doubts bed(phantom, /*watched=*/false);
    CHECK(bed.is_assumed());
    CHECK_FALSE(bed.is_due(kAssumed + AssumedPods::kUnseen - 1ms));
    CHECK(bed.is_due(kAssumed + AssumedPods::kUnseen));
    SUBCASE("there is none") {
      bed.pods.looked_up(bed.attempt(), nullptr, kAssumed + AssumedPods::kUnseen);
      CHECK_FALSE(bed.is_assumed());
      CHECK(bed.ended(AssumedOutcome::kDeleted) == 1);
      CHECK(bed.state.find_pod("default", "web") == kNone);
    }
    SUBCASE("there is one, and the watch is late") {
      const Pod found = Doubts::waiting();
      bed.pods.looked_up(bed.attempt(), &found, kAssumed + AssumedPods::kUnseen);
      CHECK(bed.is_assumed());
    }
  }

  TEST_CASE("what an API server says of a pod in doubt") {
    Pod ended = Doubts::on("a");
    ended.status.phase = "Failed";
    struct Row {
      const char* sentence;
      std::optional<Pod> found;
      std::optional<AssumedOutcome> ends;
    };
    const Row rows[] = {
        {"it waits", Doubts::waiting(), AssumedOutcome::kUnscheduled},
        {"it is nominated for another node", Doubts::waiting("b"), AssumedOutcome::kUnscheduled},
        {"kube-scheduler prepares it", Doubts::waiting("a"), {}},
        {"it is bound", Doubts::on("a"), {}},
        {"it is bound elsewhere", Doubts::on("b"), AssumedOutcome::kMoved},
        {"it has ended", ended, AssumedOutcome::kDeleted},
        {"it is gone", {}, AssumedOutcome::kDeleted},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      Doubts bed;
      bed.pods.doubt(bed.attempt(), Doubt::kNotCounted, kAssumed);
      REQUIRE(bed.is_due(kAssumed + 1s));
      bed.pods.looked_up(bed.attempt(), row.found ? &*row.found : nullptr, kAssumed + 1s);
      CHECK(bed.is_assumed() == !row.ends);
      if (row.ends) CHECK(bed.ended(*row.ends) == 1);
      CHECK_FALSE(bed.is_due(kAssumed + 1h));
    }
  }

  TEST_CASE("an answer about an attempt that is over says nothing of the next") {
    Doubts bed;
    bed.pods.doubt(bed.attempt(), Doubt::kNotCounted, kAssumed);
    bed.pods.assume(Doubts::waiting(), "b", kAssumed + 1s);
    const Pod found = Doubts::waiting();
    bed.pods.looked_up(bed.attempt(), &found, kAssumed + 1s);
    bed.pods.looked_up(bed.attempt(), nullptr, kAssumed + 1s);
    REQUIRE(bed.is_assumed());
    CHECK(bed.pods.find("default", "web")->node == "b");
    CHECK(bed.pods.find("default", "web")->doubt == Doubt::kNoDoubt);
  }

  TEST_CASE("a volume that is not made puts its pod in doubt") {
    Pod with_claim = Doubts::waiting();
    with_claim.spec.volumes.push_back(
        {.name = "data", .source = VolumeSource::kPersistentVolumeClaim, .id = "data"});
    Doubts bed(with_claim);
    const auto claim = [&](const std::string& selected, const std::string& volume = "") {
      PersistentVolumeClaim made;
      made.metadata.namespace_ = "default";
      made.metadata.name = "data";
      if (!selected.empty()) made.metadata.annotations["volume.kubernetes.io/selected-node"] = selected;
      made.volume_name = volume;
      bed.state.volumes.set(made);
      const bool news = bed.pods.has_news_of_volumes();
      bed.pods.note_volumes(kAssumed);
      CHECK_FALSE(bed.pods.has_news_of_volumes());
      return news;
    };
    const auto doubt = [&] { return bed.pods.find("default", "web")->doubt; };
    CHECK_FALSE(claim(""));
    CHECK_FALSE(claim("b"));  // Of another attempt.
    CHECK_FALSE(claim(""));
    CHECK(claim("a"));
    CHECK_FALSE(bed.is_due(kAssumed + 1h));  // It may take minutes.
    SUBCASE("the provisioner gives it back") {
      CHECK(claim(""));
      CHECK(doubt() == Doubt::kVolumeGone);
      CHECK(bed.is_due(kAssumed + 1s));
    }
    SUBCASE("it is made") {
      CHECK_FALSE(claim("a", "pv"));
      CHECK_FALSE(claim("", "pv"));
      CHECK(doubt() == Doubt::kNoDoubt);
    }
  }
}

}  // namespace
}  // namespace winnow::test
