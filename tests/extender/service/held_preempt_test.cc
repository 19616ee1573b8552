// Preempt calls that are held until the cache says what kube-scheduler expects.
#include <doctest/doctest.h>

#include "tests/extender/service/held_calls.h"

namespace winnow::test::held_preempt_test {
namespace {

using namespace std::chrono_literals;

constexpr const char* kHolds = R"(winnow_pass_duration_seconds_count{pass="hold",verb="preempt"})";

Pod low(const std::string& name, const std::string& node, const std::string& cpu) {
  return pod(name).uid(name).cpu(cpu).on(node);
}

/// Two nodes of 4 CPUs: on n0 a and b of one each, on n1 c of 4.
std::unique_ptr<ClusterCache> two_nodes(const State::Options& options = {}) {
  auto cache = cache_for_pods({"n0", "n1"}, 4, options);
  cache->write([](State& state) {
    state.set_pod(low("a", "n0", "1"));
    state.set_pod(low("b", "n0", "1"));
    state.set_pod(low("c", "n1", "4"));
  });
  return cache;
}
/// Of a pod that asks for so many CPUs.
std::string asking(const std::string& cpu, const std::string& victims, const std::string& nominated = "") {
  return R"({"Pod":{"metadata":{"name":"high","namespace":"default","uid":"high","resourceVersion":"5"},)"
         R"("spec":{"priority":9,"containers":[{"name":"c","resources":{"requests":{"cpu":")" +
         cpu + R"("}}}]},"status":{"nominatedNodeName":")" + nominated + R"("}},"NodeNameToMetaVictims":{)" +
         victims + "}}";
}
std::string answer(const std::string& victims) {
  return victims.empty() ? R"({"NodeNameToMetaVictims":{}})"
                         : R"({"NodeNameToMetaVictims":{)" + victims + R"(,"NumPDBViolations":0}}})";
}
const std::string kBoth = R"("n0":{"Pods":[{"UID":"a"},{"UID":"b"}])",
                  kLast = R"("n0":{"Pods":[{"UID":"b"}])", kOther = R"("n1":{"Pods":[{"UID":"c"}])",
                  kLate = R"("n0":{"Pods":[{"UID":"late"}])";

}  // namespace

TEST_SUITE("held preempt calls") {
  TEST_CASE("victims that the picture does not need are waited for") {
    struct Row {
      std::string sentence, cpu, late;  ///< What the pod asks for, and one that the watch tells of late.
      std::string answer;
    };
    const Row rows[] = {
        {"one need not go, until the watch tells of another pod", "3", "1", answer(kBoth)},
        {"none need go, until then", "2", "2", answer(kBoth)},
        {"one need not go, even then", "2", "1", answer(kLast)},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      HeldService service(two_nodes(), holding(kVeryLong));
      auto call = service.begin("/preempt", asking(row.cpu, kBoth + "}"));
      service.watch([&](State& state) { state.set_pod(low("late", "n0", row.late)); });
      CHECK(call.get().body == row.answer);
      CHECK(service.metric(kHolds) == 1);
    }
  }

  TEST_CASE("while a node fits, a search of all nodes waits for what kube-scheduler knows") {
    struct Row {
      std::string sentence;
      State::Options options;
      RuleSet rules;
    };
    const Row rows[] = {
        {"today's rules", kTodaysOptions, todays_rule_set()},
        {"classic rules", {}, default_rule_set()},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      ExtenderOptions options = holding(kVeryLong);
      options.preempt_search = PreemptSearch::kAll;
      HeldService service(two_nodes(row.options), options, row.rules);
      auto call = service.begin("/preempt", asking("2", kBoth + "}"));
      service.watch([](State& state) { state.set_pod(low("late", "n0", "2")); });
      CHECK(call.get().body == answer(kLate));
      CHECK(service.metric(kHolds) == 1);
    }
  }

  TEST_CASE("victims that do not help are waited for while the watch has not shown the pod's version") {
    HeldService service(two_nodes(), holding(kVeryLong));
    service.watch_pods([](AssumedPods& pods) { pods.watched_up_to(4); });
    auto call = service.begin("/preempt", asking("5", kBoth + "}"));
    service.watch_pods([](AssumedPods& pods) {
      pods.set(low("late", "n0", "1"), {});
      pods.watched_up_to(5);
    });
    CHECK(call.get().body == answer(""));
    CHECK(service.metric(kHolds) == 1);
  }

  TEST_CASE("without news the picture is believed when catch-up is over, and not before") {
    const HeldService service(two_nodes(), holding(20ms));
    const auto start = std::chrono::steady_clock::now();
    CHECK(service.post("/preempt", asking("3", kBoth + "}")).body == answer(kLast));
    CHECK(std::chrono::steady_clock::now() - start >= 20ms);
  }

  TEST_CASE("what kube-scheduler expects is not held, nor is anything without catch-up") {
    const HeldService expected(two_nodes(), holding(kVeryLong));
    CHECK(expected.post("/preempt", asking("4", kBoth + "}")).body == answer(kBoth));
    CHECK(expected.metric(kHolds) == 0);
    const HeldService off(two_nodes(), holding(0ms));
    CHECK(off.post("/preempt", asking("3", kBoth + "}")).body == answer(kLast));
    CHECK(off.metric(kHolds) == 0);
  }

  TEST_CASE("victims named before that are still in the picture are waited for") {
    HeldService service(two_nodes(), holding(kVeryLong));
    CHECK(service.post("/preempt", asking("4", kBoth + "}")).body == answer(kBoth));
    // They are gone for kube-scheduler, and another pod has taken their room.
    auto again = service.begin("/preempt", asking("4", kOther + "}", "n0"));
    SUBCASE("until they are gone here") {
      service.watch([](State& state) {
        for (const char* name : {"a", "b"}) state.remove_pod("default", name);
        state.set_pod(low("quick", "n0", "1"));
      });
      CHECK(again.get().body == answer(kOther));
    }
    SUBCASE("one is still there when something else has happened: nobody is named") {
      service.watch([](State& state) { state.remove_pod("default", "b"); });
      CHECK(again.get().body == answer(""));
      service.watch([](State& state) { state.remove_pod("default", "a"); });
      CHECK(service.post("/preempt", asking("4", kOther + "}", "n0")).body == answer(kOther));
    }
  }

  TEST_CASE("nobody waits for the victims on a node that no eviction helps any more") {
    HeldService service(two_nodes(), holding(kVeryLong));
    CHECK(service.post("/preempt", asking("4", kBoth + "}")).body == answer(kBoth));
    service.cache().write(
        [](State& state) { state.set_node(node("n0").cpu("4").memory("8Gi").pods("9").cordoned()); });
    CHECK(service.post("/preempt", asking("4", kOther + "}", "n0")).body == answer(kOther));
    CHECK(service.metric(kHolds) == 0);
  }

  TEST_CASE("a call whose picture is replaced before its first look goes on with the new one at once") {
    std::optional<ManyCachesService> service;
    GivenServices given;
    given.says_unusable = [&] {  // Asked when the call has its cache, and before it looks.
      service->extender->replace(service->active(1));
      return std::string();
    };
    service.emplace(Names{"n0", "n1"}, 4, holding(kVeryLong), default_rule_set(),
                    ExtenderServices{.cluster = &given});
    for (const std::size_t i : {0UL, 1UL})
      service->caches[i]->write([&](State& state) {
        for (const char* name : {"a", "b"}) state.set_pod(low(name, "n0", "1"));
        if (i == 1) state.set_pod(low("late", "n0", "1"));
      });
    CHECK(service->post("/preempt", asking("3", kBoth + "}")) == answer(kBoth));
  }

  TEST_CASE("a held call keeps nobody from computing or writing") {
    ExtenderOptions options = holding(kVeryLong);
    options.computing = 1;
    HeldService service(two_nodes(), options);
    auto call = service.begin("/preempt", asking("3", kBoth + "}"));
    service.cache().write([](State& state) { state.set_node(node_for_pods("free")); });
    // If this waited for the call that is held, that one's hold would end with the cache's answer.
    const std::string filter = service.post("/filter", args_with_names({"free"}, pod_json("q"))).body;
    CHECK(read_filter(filter).fit == Names{"free"});
    service.watch([](State& state) { state.set_pod(low("late", "n0", "1")); });
    CHECK(call.get().body == answer(kBoth));
  }
}

}  // namespace winnow::test::held_preempt_test
