// Pods on their way: what was answered as the only node is taken, for every call that comes after.
#include <doctest/doctest.h>

#include <map>
#include <thread>

#include "tests/extender/service/fake_rules.h"
#include "tests/extender/service/small_clusters.h"

namespace winnow::test {
namespace {

ExtenderOptions assuming(AnswerMode answer) {
  ExtenderOptions options;
  options.answer = answer;
  options.assume = true;
  return options;
}

FilterResult filter(const RunningService& service, const std::string& pod, const Names& names) {
  return read_filter(service.post("/filter", args_with_names(names, pod_json(pod))).body);
}

std::string bind_body(const std::string& pod, const std::string& to) {
  return R"({"PodName":")" + pod + R"(","PodNamespace":"default","PodUID":"uid-)" + pod + R"(","Node":")" +
         to + "\"}";
}

const Names kTwo = {"a", "b"};

TEST_SUITE("assume") {
  TEST_CASE("best: two pods never get the same last place") {
    RunningService service(cache_for_pods(kTwo), default_rule_set(), assuming(AnswerMode::kBest));
    const FilterResult first = filter(service, "p1", kTwo), second = filter(service, "p2", kTwo),
                       third = filter(service, "p3", kTwo);
    REQUIRE(first.fit.size() == 1);
    REQUIRE(second.fit.size() == 1);
    CHECK(first.fit[0] != second.fit[0]);
    CHECK(third.fit.empty());
    CHECK(third.failed.at("a") == "Insufficient cpu");
    CHECK(service.metric("winnow_assumed_pods") == 2);
    CHECK(service.metric(R"(winnow_places_held{by="assumption"})") == 2);
    CHECK(service.metric(R"(winnow_places_held{by="nomination"})") == 0);
  }

  TEST_CASE(
      "who is kept out by places that are held is told for whom, and who is kept out otherwise is not") {
    RunningService service(cache_for_pods(kTwo), default_rule_set(), assuming(AnswerMode::kBest));
    const Names taken = filter(service, "p1", kTwo).fit;
    const auto explained = [&](const std::string& cpu) {
      return service
          .post("/explain",
                R"({"Pod":{"metadata":{"name":"p2","namespace":"default","uid":"x"},"spec":{"containers":)"
                R"([{"name":"c","image":"i","resources":{"requests":{"cpu":")" +
                    cpu + R"("}}}]}}})")
          .body;
    };
    const std::string kept_out = explained("1");
    CHECK(kept_out.contains(R"("held":[{"node":")" + taken.at(0) +
                            R"(","pod":"default/p1","by":"answer","seconds":0.)"));
    CHECK(kept_out.contains(R"(,"tried":"since","milliCPU":1000}],")"));
    CHECK_FALSE(explained("2").contains("\"held\""));
    CHECK_FALSE(service.post("/explain", R"({"Pod":)" + pod_json("p1") + "}").body.contains("\"held\""));
  }

  TEST_CASE("a pod that is asked about again is free to stay where it was") {
    RunningService service(cache_for_pods({"a"}), default_rule_set(), assuming(AnswerMode::kBest));
    CHECK(filter(service, "p1", {"a"}).fit == Names{"a"});
    CHECK(filter(service, "p1", {"a"}).fit == Names{"a"});
    CHECK(service.metric(R"(winnow_assumed_ended_total{outcome="asked_again"})") == 1);
    SUBCASE("also where its name comes behind the nodes'") {
      const std::string body = R"({"NodeNames":["a"],"Nodes":null,"Pod":)" + pod_json("p1") + "}";
      CHECK(read_filter(service.post("/filter", body).body).fit == Names{"a"});
      CHECK(service.metric("winnow_assumed_pods") == 1);
    }
  }

  TEST_CASE("a pod that is asked about again and fits nowhere gives its place back") {
    for (const bool pod_first : {true, false}) {
      CAPTURE(pod_first);
      RunningService service(cache_for_pods({"a"}, 2), default_rule_set(), assuming(AnswerMode::kBest));
      CHECK(filter(service, "p1", {"a"}).fit == Names{"a"});
      service.cache().write([](State& state) { state.set_pod(pod("late").cpu("2").on("a")); });
      const std::string body = R"({"NodeNames":["a"],"Nodes":null,"Pod":)" + pod_json("p1") + "}";
      const FilterResult again =
          pod_first ? filter(service, "p1", {"a"}) : read_filter(service.post("/filter", body).body);
      CHECK(again.fit.empty());
      CHECK(service.metric("winnow_assumed_pods") == 0);
      CHECK(service.metric(R"(winnow_assumed_ended_total{outcome="asked_again"})") == 1);
      service.cache().write([](State& state) { state.remove_pod("default", "late"); });
      CHECK(filter(service, "p2", {"a"}).fit == Names{"a"});
      CHECK(filter(service, "p3", {"a"}).fit == Names{"a"});
    }
  }

  TEST_CASE("a pod that Winnow has nominated, when kube-scheduler asks about it") {
    struct Row {
      const char* sentence;
      AnswerMode answer;
      bool pod_first;  ///< In the body, before the nodes' names.
    };
    const Row rows[] = {
        {"complete", AnswerMode::kComplete, true},
        {"complete, the names first", AnswerMode::kComplete, false},
        {"best", AnswerMode::kBest, true},
        {"best, the names first", AnswerMode::kBest, false},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      RunningService service(cache_for_pods(kTwo), default_rule_set(), assuming(row.answer));
      service.cache().write_pods([](AssumedPods& pods) {
        pods.set(pod("p1").uid("uid-p1").cpu("1"), {});
        pods.assume_nominated("default", "p1", "uid-p1", "a", std::nullopt, {});
      });
      const auto ask = [&](const std::string& node) {
        std::string json = pod_json("p1");
        json.insert(json.size() - 1, R"(,"status":{"nominatedNodeName":"a"})");
        const std::string names = R"("Nodes":null,"NodeNames":[")" + node + "\"]";
        const std::string body =
            row.pod_first ? R"({"Pod":)" + json + "," + names + "}" : "{" + names + R"(,"Pod":)" + json + "}";
        return read_filter(service.post("/filter", body).body).fit;
      };
      // It does not stand in its own way, and nobody else gets its place meanwhile.
      CHECK(ask("a") == Names{"a"});
      CHECK(service.metric("winnow_assumed_pods") == 1);
      CHECK(filter(service, "p2", {"a"}).fit.empty());
      // kube-scheduler has refused the nomination, and asks about the others.
      CHECK(ask("b") == Names{"b"});
      CHECK(service.metric("winnow_assumed_pods") == (row.answer == AnswerMode::kBest ? 1 : 0));
      CHECK(filter(service, "p2", {"a"}).fit == Names{"a"});
    }
  }

  TEST_CASE("a call with full nodes about an assumed pod leaves it where it is, and judges without it") {
    RunningService service(cache_for_pods({"a"}), default_rule_set(), assuming(AnswerMode::kBest));
    CHECK(filter(service, "p1", {"a"}).fit == Names{"a"});
    const auto simulated = [&](const std::string& pod) {
      return read_filter(
          service
              .post("/filter",
                    R"({"Pod":)" + pod_json(pod) +
                        R"(,"Nodes":{"items":[{"metadata":{"name":"a"},"status":{"allocatable":{"cpu":"1",
                        "pods":"9"},"conditions":[{"type":"Ready","status":"True"}]}}]},"NodeNames":null})")
              .body);
    };
    CHECK(simulated("p1").fit == Names{"a"});
    CHECK(simulated("p2").fit.empty());
    CHECK(service.metric("winnow_assumed_pods") == 1);
    CHECK(filter(service, "p2", {"a"}).fit.empty());
  }

  TEST_CASE("complete: nobody says where the pod goes, nothing is assumed") {
    RunningService service(cache_for_pods({"a"}), default_rule_set(), assuming(AnswerMode::kComplete));
    CHECK(filter(service, "p1", {"a"}).fit == Names{"a"});
    CHECK(filter(service, "p2", {"a"}).fit == Names{"a"});
    CHECK(service.metric("winnow_assumed_pods") == 0);
  }

  TEST_CASE("a picture from files assumes nothing") {
    ExtenderOptions fixed;
    fixed.answer = AnswerMode::kBest;
    RunningService service(cache_for_pods({"a"}), default_rule_set(), fixed);
    CHECK(filter(service, "p1", {"a"}).fit == Names{"a"});
    CHECK(filter(service, "p2", {"a"}).fit == Names{"a"});
  }

  TEST_CASE("one: the pick of prioritize is assumed, and so is the only node that filter leaves") {
    RunningService service(cache_for_pods(kTwo), default_rule_set(), assuming(AnswerMode::kOne));
    CHECK(filter(service, "p1", kTwo).fit == kTwo);
    CHECK(service.metric("winnow_assumed_pods") == 0);
    const auto scores =
        read_scores(service.post("/prioritize", args_with_names(kTwo, pod_json("p1"))).body).value();
    const std::string picked = scores[0].second == 10 ? "a" : "b", other = picked == "a" ? "b" : "a";
    CHECK(service.metric("winnow_assumed_pods") == 1);
    CHECK(filter(service, "p2", kTwo).fit == Names{other});
    CHECK(service.metric("winnow_assumed_pods") == 2);
    CHECK(filter(service, "p3", kTwo).fit.empty());
  }

  TEST_CASE("one, where Winnow only scores: a pod that is scored anew is free to stay where it was") {
    RunningService service(cache_for_pods({"a", "b"}), default_rule_set(), assuming(AnswerMode::kOne));
    const auto score = [&] {
      return read_scores(service.post("/prioritize", args_with_names({"a"}, pod_json("p1"))).body).value();
    };
    CHECK(score()[0].second == 10);
    CHECK(score()[0].second == 10);
    CHECK(service.metric("winnow_assumed_pods") == 1);
    CHECK(service.metric(R"(winnow_assumed_ended_total{outcome="asked_again"})") == 1);
  }

  TEST_CASE("one: a node that was taken since filter is not picked") {
    RunningService service(cache_for_pods(kTwo), default_rule_set(), assuming(AnswerMode::kOne));
    CHECK(filter(service, "p1", kTwo).fit == kTwo);
    service.cache().write([](State& state) { state.set_pod(pod("late").cpu("1").on("a")); });
    const auto scores =
        read_scores(service.post("/prioritize", args_with_names(kTwo, pod_json("p1"))).body).value();
    CHECK(scores[0].second == 0);
    CHECK(scores[1].second == 10);
  }

  TEST_CASE("one: a node that was only looked at was not answered") {
    RuleSet rules = default_rule_set();
    rules.priorities = {by_digit()};
    RunningService service(cache_for_pods({"n3", "n5", "n7"}, 9), rules, assuming(AnswerMode::kOne));
    const auto picked = [&] {
      const auto body = args_with_names({"n3", "n5", "n7"}, pod_json("p1"));
      const HostScores scores = read_scores(service.post("/prioritize", body).body).value();
      std::string best;
      for (const auto& [host, score] : scores)
        if (score == 10) best += host;
      return best;
    };
    service.cache().write([](State& state) { state.set_pod(pod("late").cpu("9").on("n7")); });
    CHECK(picked() == "n5");
    CHECK(picked() == "n5");
    service.cache().write([](State& state) { state.remove_pod("default", "late"); });
    CHECK(picked() == "n7");
  }

  TEST_CASE("many callers at once fill the nodes exactly") {
    const Names names = {"a", "b", "c", "d"};
    constexpr int kRoom = 5, kThreads = 4, kPods = 10;
    RunningService service(cache_for_pods(names, kRoom), default_rule_set(), assuming(AnswerMode::kBest));
    std::mutex mutex;
    std::map<std::string, int> placed;
    {
      std::vector<std::jthread> callers;
      for (int t = 0; t < kThreads; ++t)
        callers.emplace_back([&, t] {
          for (int i = 0; i < kPods; ++i) {
            const FilterResult result =
                filter(service, "p" + std::to_string(t) + "-" + std::to_string(i), names);
            const std::lock_guard lock(mutex);
            ++placed[result.fit.empty() ? "nowhere" : result.fit[0]];
          }
        });
    }
    for (const std::string& name : names) CHECK(placed[name] == kRoom);
    CHECK(placed["nowhere"] == kThreads * kPods - static_cast<int>(names.size()) * kRoom);
  }

  TEST_CASE("what no API server has is answered and not assumed") {
    RunningService service(cache_for_pods({"a"}), default_rule_set(), assuming(AnswerMode::kBest));
    SUBCASE("a pod without a resource version") {
      const std::string probe = R"({"metadata":{"name":"probe","namespace":"default","uid":"x"}})";
      CHECK(read_filter(service.post("/filter", args_with_names({"a"}, probe)).body).fit == Names{"a"});
    }
    SUBCASE("full nodes") {
      const std::string body =
          R"({"Pod":)" + pod_json("p1") +
          R"(,"Nodes":{"items":[{"metadata":{"name":"a"},"status":{"allocatable":{"cpu":"1","pods":"9"},
                                   "conditions":[{"type":"Ready","status":"True"}]}}]},"NodeNames":null})";
      CHECK(read_filter(service.post("/filter", body).body).fit == Names{"a"});
    }
    CHECK(service.metric("winnow_assumed_pods") == 0);
  }

  TEST_CASE("explain says where a pod is on its way to, and judges as if it were not") {
    RunningService service(cache_for_pods({"a"}), default_rule_set(), assuming(AnswerMode::kBest));
    filter(service, "p1", {"a"});
    const std::string body = service.post("/explain", R"({"Namespace":"default","Name":"p1"})").body;
    CHECK(json_at(body, "assumed") == "\"a\"");
    CHECK(json_at(body, "node") == "");
    CHECK(json_at(body, "feasible") == "1");
  }

  TEST_CASE("explain, given a body of kube-scheduler's, says so too") {
    RunningService service(cache_for_pods({"a"}), default_rule_set(), assuming(AnswerMode::kBest));
    filter(service, "p1", {"a"});
    const std::string body = service.post("/explain", args_with_names({"a"}, pod_json("p1"))).body;
    CHECK(json_at(body, "assumed") == "\"a\"");
    CHECK(json_at(body, "feasible") == "1");
    CHECK(json_at(service.post("/explain", args_with_names({"a"}, pod_json("p2"))).body, "feasible") == "0");
    SUBCASE("a bound pod does not stand in its own way either; another of its name does") {
      service.cache().write([](State& state) { state.set_pod(pod("b").uid("uid-b").cpu("1").on("a")); });
      service.cache().write_pods([](AssumedPods& pods) { pods.remove("default", "p1", 0); });
      const auto feasible = [&](const std::string& asked) {
        return json_at(service.post("/explain", args_with_names({"a"}, asked)).body, "feasible");
      };
      CHECK(feasible(pod_json("b")) == "1");
      std::string other = pod_json("b");
      other.replace(other.find("uid-b"), 5, "uid-c");
      CHECK(feasible(other) == "0");
    }
  }

  TEST_CASE("preempt does not count the pod on the node that its last attempt was given") {
    RunningService service(cache_for_pods({"a"}, 2), default_rule_set(), assuming(AnswerMode::kBest));
    filter(service, "p1", {"a"});
    service.cache().write([](State& state) {
      PodBuilder low = pod("low").uid("low").cpu("1").on("a");
      low.object().spec.priority = -1;
      state.set_pod(low);
      state.set_pod(pod("high").uid("high").cpu("1").on("a"));
    });
    const std::string body =
        R"({"Pod":)" + pod_json("p1") + R"(,"NodeNameToMetaVictims":{"a":{"Pods":[{"UID":"low"}]}}})";
    CHECK(service.post("/preempt", body).body ==
          R"({"NodeNameToMetaVictims":{"a":{"Pods":[{"UID":"low"}],"NumPDBViolations":0}}})");
  }

  TEST_CASE("an unusable picture is an Error, and the service stays alive") {
    GivenServices given;
    given.says_unusable = [] { return std::string("winnow: stale"); };
    given.says_not_ready = [] { return std::string("stale"); };
    RunningService service(cache_for_pods({"a"}), default_rule_set(), assuming(AnswerMode::kBest), {},
                           {.cluster = &given});
    CHECK(filter(service, "p1", {"a"}).error == "winnow: stale");
    CHECK(service.post("/prioritize", args_with_names({"a"}, pod_json("p1"))).status == 503);
    CHECK(service.get("/readyz").status == 503);
    CHECK(service.get("/livez").status == 200);
  }
}

TEST_SUITE("assume, with another picture") {
  TEST_CASE("it takes over what is assumed") {
    ManyCachesService service({"a"}, 1, assuming(AnswerMode::kBest));
    CHECK(read_filter(service.post("/filter", args_with_names({"a"}, pod_json("p1")))).fit == Names{"a"});
    service.extender->replace(service.active(1));
    CHECK(read_filter(service.post("/filter", args_with_names({"a"}, pod_json("p2")))).fit.empty());
  }

  TEST_CASE("a bind in flight ends in the picture of then") {
    ExtenderOptions options = assuming(AnswerMode::kComplete);
    options.binds = true;
    GivenServices given;
    std::function<void()> meanwhile;
    given.binds = [&](const live::Binding&, std::chrono::steady_clock::time_point) {
      meanwhile();
      return live::BindResult{live::BindOutcome::kConflict, "no"};
    };
    ManyCachesService service({"a"}, 1, options, default_rule_set(), {.cluster = &given});
    for (const auto& cache : service.caches)
      cache->write([](State& state) { state.set_pod(pod("p1").uid("uid-p1").cpu("1")); });
    meanwhile = [&] {
      service.extender->replace(service.active(1));
      CHECK(service.caches[1]->read().assumed().size() == 1);
    };
    service.post("/bind", bind_body("p1", "a"));
    CHECK(service.caches[1]->read().assumed().size() == 0);
  }

  TEST_CASE("callers fill the nodes exactly while pictures change") {
    const Names names = {"a", "b"};
    constexpr int kRoom = 40, kThreads = 3, kPods = 30;
    ManyCachesService service(names, kRoom, assuming(AnswerMode::kBest));
    std::mutex mutex;
    std::map<std::string, int> placed;
    {
      std::vector<std::jthread> callers;
      for (int t = 0; t < kThreads; ++t)
        callers.emplace_back([&, t] {
          for (int i = 0; i < kPods; ++i) {
            const std::string pod = "p" + std::to_string(t) + "-" + std::to_string(i);
            const FilterResult result =
                read_filter(service.post("/filter", args_with_names(names, pod_json(pod))));
            const std::lock_guard lock(mutex);
            ++placed[result.fit.empty() ? "nowhere" : result.fit[0]];
          }
        });
      for (std::size_t i = 1; i < ManyCachesService::kCaches; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        service.extender->replace(service.active(i));
      }
    }
    for (const std::string& name : names) CHECK(placed[name] == kRoom);
    CHECK(placed["nowhere"] == kThreads * kPods - static_cast<int>(names.size()) * kRoom);
  }
}

TEST_SUITE("bind verb") {
  struct Binds : ClusterServices {
    live::BindResult answer{live::BindOutcome::kBound, ""};
    std::vector<live::Binding> asked;
    std::function<void()> meanwhile = [] {};

    live::BindResult bind(const live::Binding& binding, std::chrono::steady_clock::time_point) override {
      meanwhile();
      asked.push_back(binding);
      return answer;
    }
    RunningService service(std::unique_ptr<ClusterCache> cache) {
      ExtenderOptions options = assuming(AnswerMode::kComplete);
      options.binds = true;
      return RunningService(std::move(cache), default_rule_set(), options, {}, {.cluster = this});
    }
  };
  std::unique_ptr<ClusterCache> with_pending() {
    auto cache = cache_for_pods({"a"});
    cache->write([](State& state) { state.set_pod(pod("p1").uid("uid-p1").cpu("1")); });
    return cache;
  }

  TEST_CASE("a bound pod counts at once") {
    Binds binds;
    RunningService service = binds.service(with_pending());
    CHECK(service.post("/bind", bind_body("p1", "a")).body == R"({"Error":""})");
    REQUIRE(binds.asked.size() == 1);
    CHECK(binds.asked[0].ns == "default");
    CHECK(binds.asked[0].name == "p1");
    CHECK(binds.asked[0].uid == "uid-p1");
    CHECK(binds.asked[0].node == "a");
    CHECK(filter(service, "p2", {"a"}).failed.at("a") == "Insufficient cpu");
    CHECK(service.metric(R"(winnow_binds_total{result="bound"})") == 1);
  }

  TEST_CASE("a pod that could not be bound gives its place back; one that may have been keeps it") {
    struct Row {
      live::BindOutcome outcome;
      bool keeps;
    };
    for (const Row& row : {Row{live::BindOutcome::kConflict, false}, Row{live::BindOutcome::kRefused, false},
                           Row{live::BindOutcome::kNotFound, false}, Row{live::BindOutcome::kDenied, false},
                           Row{live::BindOutcome::kUnknown, true}}) {
      CAPTURE(to_string(row.outcome));
      Binds binds;
      binds.answer = {row.outcome, "100% no"};
      RunningService service = binds.service(with_pending());
      const Answer answer = service.post("/bind", bind_body("p1", "a"));
      CHECK(answer.status == 200);
      CHECK(answer.body == R"({"Error":"winnow: bind: 100 no"})");
      CHECK(filter(service, "p2", {"a"}).fit.empty() == row.keeps);
    }
  }

  TEST_CASE("a bind that fails ends what was assumed for its own node only") {
    Binds binds;
    binds.answer = {live::BindOutcome::kConflict, "no"};
    RunningService service = binds.service(with_pending());
    binds.meanwhile = [&] {
      service.cache().write_pods([](AssumedPods& pods) {
        pods.assume_known("default", "p1", "uid-p1", "b", std::chrono::steady_clock::now());
      });
    };
    service.post("/bind", bind_body("p1", "a"));
    const ClusterCache::ReadGuard reader = service.cache().read();
    REQUIRE(reader.assumed().find("default", "p1"));
    CHECK(reader.assumed().find("default", "p1")->node == "b");
  }

  TEST_CASE("a bind to another node knows what is old news, and one that was made is beyond doubt") {
    Binds binds;
    RunningService service = binds.service(with_pending());
    Pod refused = pod("p1").uid("uid-p1").cpu("1");
    refused.metadata.resource_version = "5";
    refused.status.conditions.push_back({"PodScheduled", "False", "Unschedulable", "before"});
    const auto now = std::chrono::steady_clock::now();
    service.cache().write_pods([&](AssumedPods& pods) { pods.assume(refused, "b", now); });
    service.post("/bind", bind_body("p1", "a"));
    refused.metadata.resource_version = "6";
    service.cache().write_pods([&](AssumedPods& pods) { pods.set(refused, now); });
    const ClusterCache::ReadGuard reader = service.cache().read();
    const AssumedPods::Entry* const entry = reader.assumed().find("default", "p1");
    REQUIRE(entry);
    CHECK(entry->node == "a");
    CHECK(entry->bound);
    CHECK_FALSE(entry->doubted);
  }

  TEST_CASE("a body that is none of kube-scheduler's") {
    Binds binds;
    RunningService service = binds.service(with_pending());
    for (const char* body : {"", "[]", "{", R"({"PodName":1})", R"({"PodName":"p"})", R"({} x)"}) {
      CAPTURE(body);
      const Answer answer = service.post("/bind", body);
      CHECK(answer.status == 400);
      CHECK(answer.body.starts_with("bad request body: "));
    }
    const auto with_names = [](const std::string& ns, const std::string& name, const std::string& node) {
      return R"({"PodName":")" + name + R"(","PodNamespace":")" + ns + R"(","PodUID":"u","Node":")" + node +
             "\"}";
    };
    const std::pair<std::string, std::string> wrong[] = {
        {with_names("default", "..", "a"), "PodName: \"..\": a lowercase RFC 1123 subdomain must"},
        {with_names("default", "a/../b", "a"), "PodName: \"a/../b\": a lowercase RFC 1123 subdomain must"},
        {with_names("..", "p1", "a"), "PodNamespace: \"..\": a lowercase RFC 1123 label must"},
        {with_names("default", "p1", "A?x=1"), "Node: \"A?x=1\": a lowercase RFC 1123 subdomain must"},
        {with_names("default", std::string(300, 'p'), "a"),
         "PodName: \"" + std::string(64, 'p') + "\": must be no more than 253 bytes"},
    };
    for (const auto& [body, error] : wrong) {
      const Answer answer = service.post("/bind", body);
      CHECK(answer.status == 400);
      CHECK(answer.body.starts_with("bad request body: " + error));
    }
    CHECK(binds.asked.empty());
    CHECK(service
              .post("/bind", R"({"podname":"p1","PODNAMESPACE":"default","PodUID":null,"node":"a","x":[{}]})")
              .status == 200);
  }

  TEST_CASE("binding that is off is said so") {
    RunningService service(with_pending());
    const Answer answer = service.post("/bind", bind_body("p1", "a"));
    CHECK(answer.status == 200);
    CHECK(
        answer.body ==
        R"({"Error":"winnow: binding is off; leave bindVerb out of the extender's configuration, or start Winnow with --enable-bind"})");
  }
}

}  // namespace
}  // namespace winnow::test
