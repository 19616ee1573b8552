// Decisions that are kept, as GET /decisions answers them after calls.
#include <doctest/doctest.h>

#include <thread>

#include "extender/explain/decisions_text.h"
#include "tests/extender/explain/records.h"
#include "tests/extender/service/fake_rules.h"
#include "tests/extender/service/held_calls.h"

namespace winnow::test {
namespace {

ExtenderOptions answering(AnswerMode answer) {
  ExtenderOptions options;
  options.answer = answer;
  options.assume = true;
  options.seed = 1;
  return options;
}

/// Refuses n0 and n1 as full and n2 for ever, and scores the others by their digit, three times.
RuleSet fake_rules() {
  RuleSet rules;
  rules.predicates = {full_on({"n0", "n1"}), never_on({"n2", "n0"})};
  rules.priorities = {by_digit(3), {"Twice", &DigitPriority::bind, {}, 2}};
  return rules;
}

const Names kSix = {"n0", "n1", "n2", "n3", "n4", "n5"};

std::string decision(const Answer& answer, const std::string& path, int which = 0) {
  return json_at(answer.body, "decisions." + std::to_string(which) + "." + path);
}

TEST_SUITE("kept decisions") {
  TEST_CASE("best: one call has it all") {
    const RunningService service(cache_of_size(6), fake_rules(), answering(AnswerMode::kBest), {},
                                 keeping_decisions(100));
    service.post("/filter", args_with_names({"n0", "n1", "n2", "n3", "n4", "n5", "gone"}, pod_json("web")));
    const Answer answer = service.get("/decisions?pod=default/web");
    CHECK(answer.status == 200);
    CHECK(answer.head.contains("Content-Type: application/json"));
    CHECK(json_size(answer.body, "decisions") == 1);
    struct Row {
      const char* path;
      const char* value;
    };
    const Row rows[] = {
        {"pod", R"("default/web")"},
        {"uid", R"("uid-web")"},
        {"verb", R"("filter")"},
        {"nodes", "7"},
        {"unknownNodes", "1"},
        {"fits", "3"},
        {"scored", "3"},
        {"refused.0", R"({"rule":"Full","nodes":2,"reasons":[{"reason":"full","nodes":2}]})"},
        {"refused.1", R"({"rule":"Never","nodes":1,"reasons":[{"reason":"not \"here\"","nodes":1}]})"},
        {"picked", R"("n5")"},
        {"runnerUp", R"("n4")"},
        {"best.0",
         R"({"node":"n5","total":25,"scores":[{"rule":"Digit","weighted":15},{"rule":"Twice","weighted":10}]})"},
        {"best.2.node", R"("n3")"},
        {"best.2.total", "15"},
        {"best.3", ""},
        {"difference", R"([{"rule":"Digit","by":3},{"rule":"Twice","by":2}])"},
        {"result", R"("waiting")"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.path);
      CHECK(decision(answer, row.path) == row.value);
    }
    CHECK(service.metric(R"(winnow_decisions_total{verb="filter"})") == 1);
    CHECK(service.metric("winnow_decisions_kept") == 1);
    CHECK(service.metric("winnow_decisions_kept_bytes") > 200);
  }

  TEST_CASE("a decision has the id of its request, and of scores that of the filter call they join") {
    const RunningService service(cache_of_size(6), fake_rules(), answering(AnswerMode::kComplete), {},
                                 keeping_decisions(100));
    const std::string body = args_with_names({"n3", "n4"}, pod_json("web"));
    service.ask("POST", "/filter", body, "X-Request-ID: first\r\n");
    service.ask("POST", "/prioritize", body, "X-Request-ID: second\r\n");
    service.ask("POST", "/prioritize", args_with_names({"n3", "n4"}, pod_json("alone")),
                "X-Request-ID: \"third\"\r\n");
    service.post("/filter", args_with_names({"n3"}, pod_json("made")));
    const Answer all = service.get("/decisions");
    CHECK(decision(all, "requestId", 2) == R"("first")");
    CHECK(decision(all, "scored", 2) == "2");
    CHECK(decision(all, "requestId", 1) == R"("\"third\"")");
    CHECK(decision(all, "requestId", 0).size() == 18);
  }

  TEST_CASE("how the modes of answers leave their decisions") {
    struct Row {
      const char* sentence;
      AnswerMode answer;
      Names nodes;
      bool prioritizes;
      const char* fits;
      const char* text;
    };
    const Row rows[] = {
        {"complete: prioritize's totals join the filter call", AnswerMode::kComplete, kSix, true, "3",
         R"("the best was n5: 25 against 20 for n4; Digit (+3) and Twice (+2) made the difference, and the pod is not bound yet")"},
        {"one: prioritize's pick joins it", AnswerMode::kOne, kSix, true, "3",
         R"("Winnow chose n5: 25 against 20 for n4; Digit (+3) and Twice (+2) made the difference, and the pod is not bound yet")"},
        {"complete: kube-scheduler asks for no scores", AnswerMode::kComplete, kSix, false, "3",
         R"("3 of 6 nodes fit; nothing was scored, and the pod is not bound yet")"},
        {"complete: one node fits",
         AnswerMode::kComplete,
         {"n0", "n3"},
         false,
         "1",
         R"("the best was n3, the only one of 2 nodes that fits; nothing was scored, and the pod is not bound yet")"},
        {"one: one node fits",
         AnswerMode::kOne,
         {"n0", "n3"},
         false,
         "1",
         R"("Winnow chose n3, the only one of 2 nodes that fits; nothing was scored, and the pod is not bound yet")"},
        {"best: one node fits",
         AnswerMode::kBest,
         {"n0", "n3"},
         false,
         "1",
         R"("Winnow chose n3, the only one of 2 nodes that fits; nothing was scored, and the pod is not bound yet")"},
        {"best: none fits",
         AnswerMode::kBest,
         {"n0", "n1", "n2"},
         false,
         "0",
         R"("nowhere: 0/3 nodes are available: 1 not \"here\", 2 full.")"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      const RunningService service(cache_of_size(6), fake_rules(), answering(row.answer), {},
                                   keeping_decisions(100));
      service.post("/filter", args_with_names(row.nodes, pod_json("web")));
      if (row.prioritizes) service.post("/prioritize", args_with_names({"n3", "n4", "n5"}, pod_json("web")));
      const Answer answer = service.get("/decisions");
      CHECK(json_size(answer.body, "decisions") == 1);
      CHECK(decision(answer, "text") == row.text);
      CHECK(decision(answer, "fits") == row.fits);
    }
  }

  TEST_CASE("calls that fail are kept with their error") {
    RuleSet broken = fake_rules();
    broken.priorities = {broken_priority()};
    const RunningService service(cache_of_size(6), broken, answering(AnswerMode::kBest), {},
                                 keeping_decisions(100));
    service.post("/filter", args_with_names(kSix, pod_json("web")));
    const Answer answer = service.get("/decisions");
    CHECK(decision(answer, "error") == R"("this priority is broken")");
    CHECK(decision(answer, "result") == R"("error")");
    CHECK(service.metric(R"(winnow_decisions_ended_total{result="error"})") == 1);
    service.post("/prioritize", args_with_names(kSix, pod_json("web")));
    CHECK(decision(service.get("/decisions"), "text") == R"("it failed: this priority is broken")");
  }

  TEST_CASE("what the watch shows is what became of it") {
    const ExtenderServices services = keeping_decisions(100);
    const RunningService service(cache_of_size(6), fake_rules(), answering(AnswerMode::kBest), {}, services);
    service.post("/filter", args_with_names(kSix, pod_json("web")));
    Pod bound = pod("web").uid("uid-web").on("n5");
    services.decision_log->on_pod(bound);
    const Answer answer = service.get("/decisions?result=bound&node=n5&rule=Digit");
    CHECK(decision(answer, "boundTo") == R"("n5")");
    CHECK(decision(answer, "text").starts_with("\"it went to n5: 25 against 20 for n4; "));
    CHECK(service.metric(R"(winnow_decisions_ended_total{result="bound"})") == 1);
  }

  TEST_CASE("a bind is a decision, and ends the choice before it") {
    for (const bool binds : {true, false}) {
      CAPTURE(binds);
      GivenServices given;
      given.binds = [&](const live::Binding&, std::chrono::steady_clock::time_point) {
        return live::BindResult{.outcome = binds ? live::BindOutcome::kBound : live::BindOutcome::kConflict,
                                .error = binds ? "" : "it is on another node"};
      };
      ExtenderOptions options = answering(AnswerMode::kBest);
      options.binds = true;
      ExtenderServices services = keeping_decisions(100);
      services.cluster = &given;
      const RunningService service(cache_of_size(6), fake_rules(), options, {}, services);
      service.post("/filter", args_with_names(kSix, pod_json("web")));
      service.post("/bind", R"({"PodName":"web","PodNamespace":"default","PodUID":"uid-web","Node":"n5"})");
      const Names wanted = binds ? Names{"web bind bound", "web filter bound"}
                                 : Names{"web bind bind_failed", "web filter bind_failed"};
      CHECK(words_of(*services.decision_log) == wanted);
    }
  }

  TEST_CASE("an eviction is kept with its node and its victims") {
    auto cache = std::make_unique<ClusterCache>(State::Options{});
    cache->write([](State& state) {
      state.set_node(node_for_pods("a", 1));
      PodBuilder low = pod("low").uid("uid-low").cpu("1").on("a");
      low.object().spec.priority = -5;
      state.set_pod(low);
    });
    const RunningService service(std::move(cache), default_rule_set(), answering(AnswerMode::kBest), {},
                                 keeping_decisions(100));
    service.post("/preempt", R"({"Pod":)" + pod_json("high") +
                                 R"(,"NodeNameToMetaVictims":{"a":{"Pods":[{"UID":"uid-low"}]}}})");
    const Answer answer = service.get("/decisions?verb=preempt");
    CHECK(decision(answer, "victims") == R"(["default/low"])");
    CHECK(decision(answer, "best.0.node") == R"("a")");
    CHECK(decision(answer, "text") == R"("room on a by evicting default/low, and the pod is not bound yet")");
  }

  TEST_CASE("a call leaves its record for when the answer has gone out") {
    const std::vector<RuleSet> rules = {fake_rules()};
    Workers workers{0};
    const Engines engines{rules, workers};
    for (const bool keeps : {true, false}) {
      CAPTURE(keeps);
      Metrics metrics{"", ""};
      const std::unique_ptr<ClusterCache> cache = cache_of_size(6);
      Extender extender(active_config_of(*cache, engines, metrics), metrics,
                        keeps ? answering(AnswerMode::kBest) : ExtenderOptions(),
                        keeps ? keeping_decisions(100) : ExtenderServices());
      http::Request request{.method = "POST",
                            .path = "/filter",
                            .content_type = "application/json",
                            .body = args_with_names(kSix, pod_json("web"))};
      http::Response response;
      extender.handle(request, response);
      CHECK((response.afterwards != nullptr) == keeps);
    }
  }

  TEST_CASE("a refused pod's decision says what the nearest nodes lack, found when the answer has gone out") {
    const std::vector<RuleSet> rules = {todays_rule_set()};
    Workers workers{0};
    const Engines engines{rules, workers};
    struct Row {
      const char* sentence;
      const char* cpu;
      bool changes;  ///< The cache, between the answer and what is left to do.
      Names nearest;
    };
    const Row rows[] = {
        {"it fits nowhere",
         "6",
         false,
         {"b: wants 6 cpu: 3 of 4 are free, 1 pod requests 1",
          "a: wants 6 cpu: 2 of 2 are free, 0 pods request 0"}},
        {"the cache has changed since: what is there now is of another moment", "6", true, {}},
        {"it fits", "3", false, {}},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      Metrics metrics{"", ""};
      ClusterCache cache(kTodaysOptions);
      cache.write([](State& state) {
        state.set_node(node("a").cpu("2").memory("8Gi").pods("9"));
        state.set_node(node("b").cpu("4").memory("8Gi").pods("9"));
        state.set_pod(pod("runs").cpu("1").on("b"));
      });
      const ExtenderServices services = keeping_decisions(100);
      Extender extender(active_config_of(cache, engines, metrics), metrics, answering(AnswerMode::kBest),
                        services);
      http::Request request{.method = "POST",
                            .path = "/filter",
                            .content_type = "application/json",
                            .body = args_with_names(
                                {"a", "b"}, std::string(R"({"metadata":{"name":"web","uid":"uid-web"},)") +
                                                R"("spec":{"containers":[{"resources":{"requests":{"cpu":")" +
                                                row.cpu + R"("}}}]}})")};
      http::Response response;
      extender.handle(request, response);
      if (row.changes) cache.write([](State& state) { state.remove_pod("default", "runs"); });
      REQUIRE((response.afterwards != nullptr));
      response.afterwards();
      Names told;
      const KeptDecision newest = all_of(*services.decision_log).front();
      for (const NearNode& near : newest.record->nearest) told.push_back(to_text(near));
      CHECK(told == row.nearest);
    }
  }

  TEST_CASE("a held call is one decision: that of its last look") {
    const ExtenderServices services = keeping_decisions(10);
    HeldService service(cache_for_pods({"a"}, 1), holding(kVeryLong), default_rule_set(), services);
    service.watch([](State& state) { state.set_pod(pod("first").cpu("1").on("a")); });
    std::string web = pod_json("web");  // One that has been refused before is held for as long as it may be.
    web.insert(web.size() - 1, R"(,"status":{"conditions":[{"type":"PodScheduled","status":"False"}]})");
    auto call = service.begin("/filter", args_with_names({"a"}, web));
    service.watch([](State& state) { state.remove_pod("default", "first"); });
    CHECK(read_filter(call.get().body).fit == Names{"a"});
    CHECK(words_of(*services.decision_log) == Names{"web filter waiting"});
    CHECK(all_of(*services.decision_log).front().record->refused.empty());
  }

  TEST_CASE("many kinds of reasons are bounded, and none is lost from the count") {
    RuleSet rules;
    for (int i = 0; i < 40; ++i)
      rules.predicates.push_back(full_on({"n" + std::to_string(i)}, "Rule" + std::to_string(i)));
    std::vector<std::string> names;
    for (int i = 0; i < 30; ++i) names.push_back("n" + std::to_string(i));
    const RunningService service(cache_of_size(30), rules, answering(AnswerMode::kBest), {},
                                 keeping_decisions(100));
    service.post("/filter", args_with_names(names, pod_json("web")));
    const Answer answer = service.get("/decisions");
    CHECK(json_size(answer.body, "decisions.0.refused") == 30);
    CHECK(decision(answer, "text") ==
          R"("nowhere: 0/30 nodes are available: 14 node(s) for other reasons, 16 full.")");
  }

  TEST_CASE("a picture of another configuration leaves the names of a decision as they were") {
    const ExtenderServices services = keeping_decisions(100);
    {
      const RunningService service(cache_of_size(6), fake_rules(), answering(AnswerMode::kBest), {},
                                   services);
      service.post("/filter", args_with_names(kSix, pod_json("web")));
    }  // Its rules are gone.
    CHECK(all_of(*services.decision_log).front().record->rules->predicates == Names{"Full", "Never"});
  }

  TEST_CASE("what cannot be answered") {
    const RunningService off(cache_of_size(1));
    const RunningService on(cache_of_size(1), fake_rules(), answering(AnswerMode::kBest), {},
                            keeping_decisions(100));
    CHECK(off.get("/decisions").status == 404);
    CHECK(off.get("/decisions").body.contains("no decisions are kept: Winnow runs with --keep-decisions=0"));
    CHECK(on.get("/decisions?verb=guess").status == 400);
    CHECK(on.get("/decisions?verb=guess").body.contains("verb: \"guess\" is not one of filter, "));
    CHECK(on.get("/decisions").body == "{\"decisions\":[],\"more\":0,\"kept\":0,\"keeps\":100}\n");
  }

  TEST_CASE("calls and questions at once") {
    const ExtenderServices services = keeping_decisions(20);
    http::Limits limits;
    limits.workers = 4;
    const RunningService service(cache_of_size(6), fake_rules(), answering(AnswerMode::kComplete), limits,
                                 services);
    std::atomic<int> bad = 0;
    {
      std::vector<std::jthread> clients;
      for (int c = 0; c < 4; ++c)
        clients.emplace_back([&, c] {
          for (int i = 0; i < 40; ++i) {
            const std::string name = "p" + std::to_string(c) + "-" + std::to_string(i % 8);
            service.post("/filter", args_with_names(kSix, pod_json(name)));
            service.post("/prioritize", args_with_names({"n3", "n4"}, pod_json(name)));
            services.decision_log->on_pod(pod(name).uid("uid-" + name).on("n4"));
            if (!is_json(service.get("/decisions?limit=1000").body)) ++bad;
          }
        });
    }
    CHECK(bad == 0);
    CHECK(services.decision_log->figures().kept == 20);
    CHECK(services.decision_log->figures().made[0] == 160);
  }
}

}  // namespace
}  // namespace winnow::test
