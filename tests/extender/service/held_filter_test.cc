// Filter calls whose refusal is held until the watch has caught up.
#include <doctest/doctest.h>

#include <map>

#include "tests/extender/service/held_calls.h"
#include "tests/storage.h"

namespace winnow::test {
namespace {

using namespace std::chrono_literals;

constexpr const char* kHolds = R"(winnow_pass_duration_seconds_count{pass="hold",verb="filter"})";

/// Node "full", with a pod that takes all of it; "free" may be added.
struct Bed : HeldService {
  explicit Bed(ExtenderOptions options) : HeldService(cache_for_pods({"full"}), std::move(options)) {
    cache().write(fill);
  }
  static void fill(State& state) { state.set_pod(pod("fills").uid("fills").cpu("1").on("full")); }

  FilterResult ask(const std::string& pod, const Names& names = {"full"}) const {
    return read_filter(post("/filter", args_with_names(names, pod)).body);
  }
  std::future<Answer> begin_filter(const std::string& pod, const Names& names = {"full"}) const {
    return begin("/filter", args_with_names(names, pod));
  }
};

void make_room(State& state) { state.remove_pod("default", "fills"); }
void add_node(State& state) { state.set_node(node_for_pods("free")); }

FilterResult filter_result(std::future<Answer>& call) { return read_filter(call.get().body); }

}  // namespace

TEST_SUITE("held filter calls") {
  TEST_CASE("a pod that is asked about again without news is held, and gets its node with the news") {
    for (const AnswerMode answer : {AnswerMode::kComplete, AnswerMode::kBest, AnswerMode::kOne}) {
      Bed bed(holding(kVeryLong, answer));
      const FilterResult first = bed.ask(pod_json("p"));
      CHECK(first.fit.empty());
      CHECK(first.failed.at("full") == "Insufficient cpu");
      CHECK(bed.metric("winnow_refused_pods") == 1);
      auto again = bed.begin_filter(pod_json("p"));
      bed.watch(make_room);
      CHECK(filter_result(again).fit == Names{"full"});
      CHECK(bed.metric("winnow_refused_pods") == 0);
      CHECK(bed.metric(kHolds) >= 1);
    }
  }

  TEST_CASE("a call whose client goes while it is held takes no place") {
    Bed bed(holding(kVeryLong));
    CHECK(bed.ask(pod_json("p")).fit.empty());
    std::atomic<bool> gone = false;
    const int before = looks;
    auto call = std::async(std::launch::async, [&] {
      http::Request request{.method = "POST",
                            .path = "/filter",
                            .content_type = "application/json",
                            .body = args_with_names({"full"}, pod_json("p")),
                            .client_gone = [&] { return gone.load(); }};
      http::Response response;
      bed.extender().handle(request, response);
      return response.status;
    });
    wait_for_look(before);
    gone = true;
    std::this_thread::sleep_for(100ms);  // A client is not asked for in its call's first 50 ms.
    bed.watch(make_room);
    CHECK(call.get() == 503);
    CHECK(bed.metric("winnow_assumed_pods") == 0);
  }

  TEST_CASE("news of a pod without a node are looked at, and do not end the hold") {
    Bed bed(holding(kVeryLong));
    CHECK(bed.ask(pod_json("p")).fit.empty());
    auto again = bed.begin_filter(pod_json("p"));
    for (int i = 0; i < 3; ++i) {
      const int before = looks;
      bed.watch([](State& state) { state.set_pod(pod("q").uid("q").cpu("1")); }, /*for_others=*/false);
      wait_for_look(before);
    }
    bed.watch(make_room);
    CHECK(filter_result(again).fit == Names{"full"});
  }

  TEST_CASE("news that are for others and do not help end the hold") {
    Bed bed(holding(kVeryLong));
    CHECK(bed.ask(pod_json("p")).fit.empty());
    auto again = bed.begin_filter(pod_json("p"));
    bed.watch([](State& state) { state.set_pod(pod("other").uid("other").cpu("1").on("full")); });
    CHECK(filter_result(again).failed.at("full") == "Insufficient cpu");
    CHECK(bed.metric("winnow_refused_pods") == 1);
  }

  TEST_CASE("a pod that says itself that it was refused is held at the first call") {
    Bed bed(holding(kVeryLong));
    std::string pod = pod_json("p");
    pod.insert(pod.size() - 1, R"(,"status":{"conditions":[{"type":"PodScheduled","status":"False"}]})");
    auto call = bed.begin_filter(pod);
    bed.watch(make_room);
    CHECK(filter_result(call).fit == Names{"full"});
  }

  TEST_CASE("that a pod gives back its own place is no news to itself") {
    Bed bed(holding(kVeryLong));
    bed.watch(make_room);
    std::string pod = pod_json("p");
    pod.insert(pod.size() - 1, R"(,"status":{"conditions":[{"type":"PodScheduled","status":"False"}]})");
    CHECK(bed.ask(pod).fit == Names{"full"});
    bed.watch(Bed::fill);
    auto again = bed.begin_filter(pod);
    bed.watch(make_room);
    CHECK(filter_result(again).fit == Names{"full"});
  }

  TEST_CASE("a pod that the watch has not come to yet is held until it has") {
    Bed bed(holding(kVeryLong));
    bed.cache().write_pods([](AssumedPods& pods) { pods.watched_up_to(5); });
    auto call = bed.begin_filter(pod_json("p", 9));
    SUBCASE("and room was made before it") {
      const int before = looks;
      bed.watch_pods([](AssumedPods& pods) { pods.watched_up_to(7); });
      wait_for_look(before);  // It has looked, and waits on.
      bed.watch_pods([](AssumedPods& pods) {
        pods.remove("default", "fills", 8);
        pods.watched_up_to(9);
      });
      CHECK(filter_result(call).fit == Names{"full"});
    }
    SUBCASE("and there is no room") {
      bed.watch_pods([](AssumedPods& pods) { pods.watched_up_to(9); });
      CHECK(filter_result(call).failed.at("full") == "Insufficient cpu");
    }
  }

  TEST_CASE("a node that is not in the picture yet is waited for") {
    struct Row {
      std::string sentence, body;
    };
    const Row rows[] = {
        {"by its name", args_with_names({"full", "free"}, pod_json("p"))},
        {"by a name that is written otherwise",
         R"({"Pod":)" + pod_json("p") + R"(,"NodeNames":["full","fr\u0065e"]})"},
        {"where the pod comes behind the names",
         R"({"NodeNames":["free","full"],"Pod":)" + pod_json("p") + "}"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      Bed bed(holding(kVeryLong));
      auto call = bed.begin("/filter", row.body);
      bed.watch(add_node);
      CHECK(filter_result(call).fit == Names{"free"});
      CHECK(bed.metric("winnow_assumed_pods") == 1);
      CHECK(bed.metric("winnow_unknown_nodes_total") == 0);
    }
  }

  TEST_CASE("a node that goes while a call is held is known no longer") {
    Bed bed(holding(kVeryLong));
    auto call = bed.begin_filter(pod_json("p"), {"full", "free"});
    bed.watch([](State& state) {
      state.remove_node("full");
      add_node(state);
    });
    CHECK(filter_result(call).fit == Names{"free"});
    CHECK(bed.metric("winnow_unknown_nodes_total") == 1);
  }

  TEST_CASE("a pod on its way is judged without itself, at each look") {
    for (const bool pod_first : {true, false}) {
      CAPTURE(pod_first);
      Bed bed(holding(kVeryLong));
      bed.watch(make_room);
      CHECK(bed.ask(pod_json("p")).fit == Names{"full"});
      CHECK(bed.metric("winnow_assumed_pods") == 1);
      // Its place is taken before it is asked about again.
      bed.watch(Bed::fill);
      const std::string names = R"("NodeNames":["full","free"])", pod = R"("Pod":)" + pod_json("p");
      auto call = bed.begin("/filter", "{" + (pod_first ? pod + "," + names : names + "," + pod) + "}");
      bed.watch(add_node);
      CHECK(filter_result(call).fit == Names{"free"});
      CHECK(bed.metric("winnow_assumed_pods") == 1);
      CHECK(bed.metric(R"(winnow_assumed_ended_total{outcome="asked_again"})") == 1);
    }
  }

  TEST_CASE("a pod that is put on its way while its call is held does not stand in its own way") {
    Bed bed(holding(kVeryLong));
    auto call = bed.begin_filter(pod_json("p"), {"full", "free"});
    bed.cache().write(add_node);
    bed.watch_pods([](AssumedPods& pods) {
      Pod made = pod("p").uid("uid-p").cpu("1");
      made.metadata.resource_version = "5";
      pods.assume(made, "free", {});
    });
    CHECK(filter_result(call).fit == Names{"free"});
  }

  TEST_CASE("an error is held as a refusal is: a claim may be there already") {
    Bed bed(holding(20ms));
    bed.watch(make_room);
    const std::string pod =
        R"({"metadata":{"name":"p","namespace":"default","uid":"p","resourceVersion":"5"},"spec":{"volumes":)"
        R"([{"name":"v","persistentVolumeClaim":{"claimName":"data"}}]}})";
    const std::string error = "persistentvolumeclaim \"data\" not found";
    CHECK(bed.ask(pod).error == error);
    const auto start = std::chrono::steady_clock::now();
    CHECK(bed.ask(pod).error == error);
    CHECK(std::chrono::steady_clock::now() - start >= 20ms);
    CHECK(bed.metric("winnow_refused_pods") == 1);
    bed.watch([](State& state) {
      Storage{{pvc("data").bound_to("disk")}, {pv("disk").source(gce_disk("disk"))}, {}, {}}.put_into(state);
    });
    CHECK(bed.ask(pod).fit == Names{"full"});
    CHECK(bed.metric("winnow_refused_pods") == 0);
  }

  TEST_CASE("a hold ends with the refusal when catch-up is over, and not before") {
    for (const AnswerMode answer : {AnswerMode::kComplete, AnswerMode::kBest}) {
      Bed bed(holding(20ms, answer));
      CHECK(bed.ask(pod_json("p")).fit.empty());
      const auto start = std::chrono::steady_clock::now();
      const FilterResult again = bed.ask(pod_json("p"));
      CHECK(std::chrono::steady_clock::now() - start >= 20ms);
      CHECK(again.failed.at("full") == "Insufficient cpu");
      CHECK(bed.metric("winnow_refused_pods") == 1);
    }
  }

  TEST_CASE("a refusal in doubt says so, in words that are new each time, and not for ever") {
    Bed bed(holding(20ms));
    int version = 5;
    // As kube-scheduler asks: each new text is a change of the pod.
    const auto reason = [&](const Names& names = {"full"}, const std::string& status = {}) {
      std::string pod = pod_json("p", version++);
      const std::string refused = R"("conditions":[{"type":"PodScheduled","status":"False"}])";
      pod.insert(pod.size() - 1, R"(,"status":{)" + refused + status + "}");
      return bed.ask(pod, names).failed.at(names[0]);
    };
    CHECK(reason() == "Insufficient cpu (attempt 1; Winnow's watch may be late)");  // Refused, and not by us.
    CHECK(reason() == "Insufficient cpu (attempt 2; Winnow's watch may be late)");
    CHECK(reason({"new"}) ==
          "node(s) were not in Winnow's picture of the cluster yet (attempt 3; Winnow's watch may be late)");
    SUBCASE("four times") {
      CHECK(reason() == "Insufficient cpu (attempt 4; Winnow's watch may be late)");
      CHECK(reason() == "Insufficient cpu");
      CHECK(bed.metric("winnow_refused_in_doubt_total") == 4);
      --version;  // The pod is as it was: another event has it tried.
      CHECK(reason() == "Insufficient cpu (attempt 6; Winnow's watch may be late)");
    }
    SUBCASE("not of the nominated node alone: that answer is forgotten") {
      CHECK(reason({"full"}, R"(,"nominatedNodeName":"full")") == "Insufficient cpu");
      CHECK(bed.metric("winnow_refused_in_doubt_total") == 3);
      --version;
      CHECK(reason({"full", "new"}, R"(,"nominatedNodeName":"full")") ==
            "Insufficient cpu (attempt 5; Winnow's watch may be late)");
    }
    SUBCASE("not after news") {
      bed.watch(Bed::fill);
      CHECK(reason() == "Insufficient cpu");
    }
  }

  TEST_CASE("nothing is held, and a refusal is remembered where it is of this cluster") {
    const std::string full = R"({"items":[{"metadata":{"name":"full"},"status":{"allocatable":{"cpu":"1",)"
                             R"("pods":"9"},"conditions":[{"type":"Ready","status":"True"}]}}]})";
    struct Row {
      std::string sentence;
      std::chrono::milliseconds catch_up;
      std::string nodes;
      double remembered;
    };
    const Row rows[] = {
        {"for full nodes: there may be no such cluster", kVeryLong, R"("Nodes":)" + full, 0},
        {"without catch-up", 0ms, R"("NodeNames":["full"])", 1},
        {"without catch-up, and a node is not known", 0ms, R"("NodeNames":["full","free"])", 1},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      Bed bed(holding(row.catch_up));
      for (int i = 0; i < 3; ++i) {
        const int before = looks;
        const FilterResult result =
            read_filter(bed.post("/filter", R"({"Pod":)" + pod_json("p") + "," + row.nodes + "}").body);
        CHECK(result.fit.empty());
        CHECK(result.failed.at("full") == "Insufficient cpu");
        CHECK(looks == before + 1);
      }
      CHECK(bed.metric(kHolds) == 0);
      CHECK(bed.metric("winnow_refused_pods") == row.remembered);
    }
  }

  TEST_CASE("a pod that fits is not held") {
    Bed bed(holding(kVeryLong));
    bed.watch(make_room);
    CHECK(bed.ask(pod_json("p")).fit == Names{"full"});
    CHECK(bed.metric(kHolds) == 0);
  }

  TEST_CASE("a held call keeps nobody from deciding, computing or writing") {
    for (const AnswerMode answer : {AnswerMode::kComplete, AnswerMode::kBest, AnswerMode::kOne}) {
      ExtenderOptions options = holding(kVeryLong, answer);
      options.computing = 1;
      Bed bed(options);
      CHECK(bed.ask(pod_json("p")).fit.empty());
      auto again = bed.begin_filter(pod_json("p"));
      // If this waited for the call that is held, that one's hold would end without a node.
      bed.cache().write(add_node);
      CHECK(bed.ask(pod_json("q"), {"free"}).fit == Names{"free"});
      bed.watch(make_room);
      CHECK(filter_result(again).fit == Names{"full"});
    }
  }

  TEST_CASE("held calls of several pods each get what they can get") {
    Bed bed(holding(kVeryLong));
    CHECK(bed.ask(pod_json("p")).fit.empty());
    CHECK(bed.ask(pod_json("q")).fit.empty());
    auto p = bed.begin_filter(pod_json("p"), {"full", "free"});
    auto q = bed.begin_filter(pod_json("q"), {"full", "free"});
    bed.watch([](State& state) {
      make_room(state);
      add_node(state);
    });
    const FilterResult first = filter_result(p), second = filter_result(q);
    REQUIRE(first.fit.size() == 1);
    REQUIRE(second.fit.size() == 1);
    CHECK(first.fit[0] != second.fit[0]);
  }

  TEST_CASE("refused pods that would fit are counted, and how late the watch is") {
    Bed bed(holding(1ms));
    CHECK(bed.ask(pod_json("p")).fit.empty());
    CHECK(bed.ask(pod_json("q")).fit.empty());
    CHECK(bed.metric("winnow_refused_pods") == 2);
    CHECK(bed.metric("winnow_refused_would_fit") == 0);
    CHECK(bed.metric("winnow_watch_lateness_seconds") == doctest::Approx(0.005));
    UnschedulableRecords& refusals = bed.extender().refusals();
    const auto now = std::chrono::steady_clock::now();
    refusals.looked(*refusals.find("uid-p"), "full", now - 2s, 1h);
    refusals.looked(*refusals.find("uid-q"), "full", now + 1h, 1h);  // Not for long enough.
    CHECK(bed.metric("winnow_refused_would_fit") == 1);
    CHECK(bed.metric("winnow_refused_would_fit_total") == 0);
    refusals.looked(*refusals.find("uid-p"), "full", now, 1s);
    CHECK(bed.metric("winnow_refused_would_fit_total") == 1);
  }
}

TEST_SUITE("held calls and other pictures") {
  TEST_CASE("a call that is held looks at the picture of then") {
    for (const AnswerMode answer : {AnswerMode::kBest, AnswerMode::kComplete}) {
      ManyCachesService service({"a"}, 0, holding(kVeryLong, answer), counting());
      const std::string body = args_with_names({"a"}, pod_json("p"));
      CHECK(read_filter(service.post("/filter", body)).fit.empty());
      const int before = looks;
      auto again = std::async(std::launch::async, [&] { return service.post("/filter", body); });
      wait_for_look(before);
      service.caches[1]->write([](State& state) { state.set_node(node_for_pods("a")); });
      service.extender->replace(service.active(1));
      CHECK(read_filter(again.get()).fit == Names{"a"});
      CHECK(service.caches[0]->read().assumed().size() == 0);
      CHECK(service.caches[1]->read().assumed().size() == (answer == AnswerMode::kBest ? 1 : 0));
    }
  }

  TEST_CASE("a call whose picture is replaced before its first look goes on with the new one at once") {
    std::optional<ManyCachesService> service;
    int calls = 0;
    GivenServices given;
    given.says_unusable = [&] {  // Asked when the call has its cache, and before it looks.
      if (++calls == 2) service->extender->replace(service->active(1));
      return std::string();
    };
    service.emplace(Names{"a"}, 0, holding(kVeryLong, AnswerMode::kComplete), default_rule_set(),
                    ExtenderServices{.cluster = &given});
    service->caches[1]->write([](State& state) { state.set_node(node_for_pods("a")); });
    const std::string body = args_with_names({"a"}, pod_json("p"));
    CHECK(read_filter(service->post("/filter", body)).fit.empty());
    CHECK(read_filter(service->post("/filter", body)).fit == Names{"a"});
  }

  TEST_CASE("callers fill the nodes exactly while calls are held, room comes and pictures change") {
    for (const AnswerMode answer : {AnswerMode::kBest, AnswerMode::kComplete}) {
      constexpr int kThreads = 3, kPods = 4, kRoom = 2;
      ManyCachesService service({"full"}, 0, holding(3ms, answer));
      Names names = {"full"};
      for (int i = 0; i < kThreads * kPods / kRoom; ++i) names.push_back("n" + std::to_string(i));
      std::mutex mutex;
      std::map<std::string, int> placed;
      {
        std::vector<std::jthread> callers;
        for (int t = 0; t < kThreads; ++t)
          callers.emplace_back([&, t] {
            for (int i = 0; i < kPods; ++i) {
              const std::string pod = pod_json("p" + std::to_string(t) + "-" + std::to_string(i));
              FilterResult result;
              while (result.fit.empty())
                result = read_filter(service.post("/filter", args_with_names(names, pod)));
              const std::lock_guard lock(mutex);
              ++placed[result.fit[0]];
            }
          });
        for (std::size_t i = 1; i < names.size(); ++i) {
          const auto add = [&](ClusterCache& cache) {
            cache.write([&](State& state) { state.set_node(node_for_pods(names[i], kRoom)); });
            cache.news().tell(/*for_others=*/true);
          };
          for (const auto& cache : service.caches) add(*cache);
          service.extender->replace(service.active(i));
        }
      }
      if (answer == AnswerMode::kBest)
        for (std::size_t i = 1; i < names.size(); ++i) CHECK(placed[names[i]] == kRoom);
      CHECK(placed["full"] == 0);
    }
  }
}

}  // namespace winnow::test
