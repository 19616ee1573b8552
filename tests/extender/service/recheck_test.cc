// Pods that were refused and would fit now are found, at times of the test's; and in a thread of its own.
#include "extender/service/recheck.h"

#include <doctest/doctest.h>

#include <thread>

#include "cluster/api/kinds.h"
#include "cluster/client/servers/pod_patcher.h"
#include "extender/config/gates.h"
#include "extender/config/rules.h"
#include "extender/engine/engines.h"
#include "extender/engine/workers.h"
#include "extender/service/scheduling/decision_lock.h"
#include "tests/builders.h"

namespace winnow::test::recheck_test {
namespace {

using namespace std::chrono_literals;

constexpr UnschedulableRecord::Time kStart{1h};

Pod waiting(const std::string& name = "p") { return pod(name).uid("uid-" + name).cpu("1"); }
UnschedulableRecord refused(const std::string& name = "p", UnschedulableRecord::Time time = kStart) {
  UnschedulableRecord made;
  made.ns = "default";
  made.name = name;
  made.uid = "uid-" + name;
  made.version = 5;
  made.refused = time;
  return made;
}

/// Two nodes of one CPU, each with a pod that fills it, and a pod p that waits and was refused.
struct Bed {
  explicit Bed(Generation generation = Generation::kClassic, std::string profile = "")
      : cache(std::make_shared<ClusterCache>(State::Options{.generation = generation})) {
    if (generation == Generation::kToday) {
      const char* const head =
          "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";
      rules = {std::move(load_rules("f", head, {})->sets.front())};
    }
    rules.front().scheduler_name = std::move(profile);
    engines.emplace(rules, workers);
    cache->write([](State& state) {
      for (const std::string name : {"a", "b"}) {
        state.set_node(node(name).cpu("1").memory("1Gi").pods("9").condition("Ready", "True"));
        state.set_pod(pod("fills-" + name).uid("fills-" + name).cpu("1").on(name));
      }
      state.set_pod(waiting());
    });
    cache->write_pods([](AssumedPods& pods) { pods.watched_up_to(9); });
    refusals.refused(refused());
    decisions.emplace(active(), ExtenderOptions());
  }

  ActiveConfig active() const { return {{std::shared_ptr<const Engines>(), &*engines}, cache, nullptr}; }
  Recheck recheck() { return {refusals, *decisions, Recheck::kRound, std::chrono::hours(1)}; }
  void look(UnschedulableRecord::Time now = kStart + 1s) { recheck().look(1, now); }
  /// Where the pod would fit; "": nowhere; "-": it is forgotten.
  std::string found() const {
    const auto refusal = refusals.find("uid-p");
    return refusal ? refusal->node : "-";
  }

  Workers workers{0};
  std::vector<RuleSet> rules{classic_rules({}).sets.front()};
  std::optional<Engines> engines;
  std::shared_ptr<ClusterCache> cache;
  UnschedulableRecords refusals;
  std::optional<DecisionLock> decisions;
};

/// Notes who is nominated, and where.
struct NotedNominations : WakingNominations {
  std::vector<std::string> nominated;
  live::PatchResult answer{live::PatchOutcome::kWritten};

  live::PatchResult nominate(const live::PodIdentity& pod, const std::string& node) override {
    nominated.push_back(pod.ns + '/' + pod.name + ' ' + pod.uid + ' ' + node);
    return answer;
  }
};

void make_room(State& state) { state.remove_pod("default", "fills-b"); }

}  // namespace

TEST_SUITE("recheck") {
  TEST_CASE("what a look at a refused pod finds") {
    struct Row {
      std::string sentence;
      std::function<void(State&)> happens;
      std::string found;
    };
    const Row rows[] = {
        {"nothing has happened", [](State&) {}, ""},
        {"room was made", make_room, "b"},
        {"a node was added",
         [](State& state) {
           state.set_node(node("c").cpu("1").memory("1Gi").pods("9").condition("Ready", "True"));
         },
         "c"},
        {"the pod has become smaller", [](State& state) { state.set_pod(pod("p").uid("uid-p").cpu("0")); },
         "a"},
        {"room was made, and the pod asks for a claim that there is not",
         [](State& state) {
           make_room(state);
           state.set_pod(pod("p").uid("uid-p").cpu("1").mounts(claim("gone")));
         },
         ""},
        {"the pod is gone", [](State& state) { state.remove_pod("default", "p"); }, "-"},
        {"it has ended", [](State& state) { state.set_pod(pod("p").uid("uid-p").phase("Failed")); }, "-"},
        {"it is bound", [](State& state) { state.set_pod(pod("p").uid("uid-p").on("a")); }, "-"},
        {"another pod has its name",
         [](State& state) {
           make_room(state);
           state.set_pod(pod("p").uid("other").cpu("1"));
         },
         "-"},
        {"there are no UIDs, as in a hand-written cluster",
         [](State& state) {
           make_room(state);
           state.set_pod(pod("p").uid("").cpu("1"));
         },
         "b"},
    };
    for (const Generation generation : {Generation::kClassic, Generation::kToday})
      for (const Row& row : rows) {
        CAPTURE(row.sentence);
        Bed bed(generation);
        bed.cache->write(row.happens);
        bed.look();
        CHECK(bed.found() == row.found);
      }
  }

  TEST_CASE("a pod that the watch has not told of yet is not forgotten") {
    Bed bed;
    bed.cache->write([](State& state) { state.remove_pod("default", "p"); });
    bed.refusals.forget("uid-p");
    UnschedulableRecord ahead = refused();
    ahead.version = 10;
    bed.refusals.refused(ahead);
    bed.look();
    CHECK(bed.found() == "");
    SUBCASE("and is found when it has") {
      bed.cache->write([](State& state) {
        state.set_pod(waiting());
        make_room(state);
      });
      bed.look();
      CHECK(bed.found() == "b");
    }
    SUBCASE("but is when the watch has come by without a word of it") {
      bed.cache->write_pods([](AssumedPods& pods) { pods.watched_up_to(10); });
      bed.look();
      CHECK(bed.found() == "-");
    }
  }

  TEST_CASE("a pod that was assumed meanwhile is forgotten, and one that no profile is for") {
    SUBCASE("assumed") {
      Bed bed;
      bed.cache->write_pods([](AssumedPods& pods) { pods.assume(waiting(), "a", kStart); });
      bed.look();
      CHECK(bed.found() == "-");
    }
    SUBCASE("no profile") {
      Bed bed(Generation::kToday, "other-scheduler");
      bed.look();
      CHECK(bed.found() == "-");
    }
  }

  TEST_CASE("people are told once, when kube-scheduler's longest back-off is over") {
    Bed bed;
    bed.cache->write(make_room);
    bed.look(kStart + 1s);
    bed.look(kStart + 1s + Recheck::kTell - 1ms);
    CHECK(bed.refusals.told_count() == 0);
    CHECK(bed.refusals.would_fit(kStart + 2s, 1s) == 1);
    bed.look(kStart + 1s + Recheck::kTell);
    CHECK(bed.refusals.told_count() == 1);
    bed.look(kStart + 1h);
    CHECK(bed.refusals.told_count() == 1);
  }

  TEST_CASE("a pod that fits is nominated once, when kube-scheduler's back-off is over") {
    Bed bed;
    NotedNominations nominations;
    const std::vector<std::string>& nominated = nominations.nominated;
    PodWaker waker(nominations);
    Recheck recheck = bed.recheck();
    recheck.wake_by(&waker);
    const auto look = [&](UnschedulableRecord::Time::duration after) { recheck.look(9, kStart + after); };
    bed.refusals.refused(refused());  // Its second refusal in a row: the back-off is of two seconds.
    look(100ms);
    CHECK(nominated.empty());
    bed.cache->write(make_room);
    look(200ms);
    look(1900ms);
    CHECK(nominated.empty());
    look(2s);
    look(3s);
    CHECK(nominated == std::vector<std::string>{"default/p uid-p b"});
    SUBCASE("and once more, if it is refused once more") {
      bed.refusals.refused(refused("p", kStart + 4s));
      look(5s);
      look(8s);
      CHECK(nominated.size() == 2);
    }
    SUBCASE("two pods are not nominated at once: they may fit on the same place") {
      for (const std::string name : {"q", "r"}) {
        bed.refusals.refused(refused(name));
        bed.cache->write([&](State& state) { state.set_pod(waiting(name)); });
      }
      look(5s);
      look(6s);
      CHECK(nominated.size() == 2);
      look(6s + PodWaker::kBetween);
      CHECK(nominated.size() == 3);
    }
  }

  TEST_CASE("without the right nobody is nominated for a while") {
    Bed bed;
    NotedNominations nominations;
    nominations.answer = {live::PatchOutcome::kDenied, "cannot patch"};
    const std::vector<std::string>& asked = nominations.nominated;
    PodWaker waker(nominations);
    waker.wake(refused(), kStart);
    CHECK_FALSE(waker.may_wake(kStart + PodWaker::kRest - 1ms));
    waker.wake(refused(), kStart + PodWaker::kRest - 1ms);
    CHECK(asked.size() == 1);
    waker.wake(refused(), kStart + PodWaker::kRest);
    CHECK(asked.size() == 2);
  }

  TEST_CASE("so many are looked at, in turn") {
    Bed bed;
    bed.refusals.refused(refused("q"));
    bed.cache->write([](State& state) {
      state.set_pod(waiting("q"));
      make_room(state);
    });
    bed.recheck().look(1, kStart + 1s);
    CHECK(bed.refusals.would_fit(kStart + 1s, 0s) == 1);
    bed.recheck().look(1, kStart + 1s);
    CHECK(bed.refusals.would_fit(kStart + 1s, 0s) == 2);
  }
}

TEST_SUITE("recheck, in its thread") {
  /// However long it takes.
  template <class So>
  void wait_until(const So& so) {
    while (!so()) std::this_thread::sleep_for(1ms);
  }

  TEST_CASE("what happens is looked at, in another picture too, until it is stopped") {
    Bed bed;
    Recheck recheck(bed.refusals, *bed.decisions, 50ms, std::chrono::hours(1));
    const auto happens = [](ClusterCache& cache, const std::function<void(State&)>& events) {
      cache.write(events);
      cache.news().tell(/*for_others=*/true);
    };
    std::jthread thread([&](const std::stop_token& stop) { recheck.run(stop); });
    CHECK(bed.found() == "");
    happens(*bed.cache, make_room);
    wait_until([&] { return bed.found() == "b"; });
    happens(*bed.cache, [](State& state) { state.set_pod(pod("fills-b").cpu("1").on("b")); });
    wait_until([&] { return bed.found() == ""; });

    const Bed other;
    bed.decisions->replace(other.active());
    happens(*other.cache, [](State& state) { state.remove_pod("default", "fills-a"); });
    wait_until([&] { return bed.found() == "a"; });
    // A pod that is refused without any news is looked at too, by and by.
    bed.refusals.refused(refused("p", kStart + 1s));
    wait_until([&] { return bed.found() == "a"; });
    happens(*other.cache, [](State& state) { state.remove_pod("default", "p"); });
    wait_until([&] { return bed.found() == "-"; });
    thread.request_stop();
    thread.join();
    CHECK(bed.refusals.size() == 0);
  }
}

}  // namespace winnow::test::recheck_test
