// Calls about a sample of the nodes: a pod that fits on none of these, and on another one, is nominated
// there.
#include <doctest/doctest.h>

#include <chrono>

#include "tests/extender/service/answers.h"
#include "tests/extender/service/running_server.h"

namespace winnow::test {
namespace {

/// Four nodes of two CPUs. Those of `full` have a pod of priority 3 that takes both.
std::unique_ptr<ClusterCache> cluster(const std::vector<std::string>& full) {
  auto cache = std::make_unique<ClusterCache>(kTodaysOptions);
  cache->write([&](State& state) {
    for (const char* name : {"n0", "n1", "n2", "n3"})
      state.set_node(node(name).cpu("2").memory("8Gi").pods("9").condition("Ready", "True"));
    for (const std::string& name : full) {
      PodBuilder made = pod("on-" + name).uid("on-" + name).on(name).cpu("2");
      made.object().spec.priority = 3;
      state.set_pod(made);
    }
  });
  return cache;
}

/// It asks for two CPUs.
std::string pod_text(const std::string& spec = "", const std::string& status = "") {
  return R"("Pod":{"metadata":{"name":"p","namespace":"default","resourceVersion":"1000","uid":"p"},)"
         R"("spec":{"priority":9,)" +
         spec + R"("containers":[{"name":"c","resources":{"requests":{"cpu":"2"}}}]})" + status + "}";
}
std::string filter_of(const std::string& names, const std::string& spec = "",
                      const std::string& status = "") {
  return "{" + pod_text(spec, status) + R"(,"NodeNames":[)" + names + "]}";
}

/// A preempt call whose candidate is n0. @param pod  of pod_text().
std::string preempt_of_n0(const std::string& pod) {
  return "{" + pod + R"(,"NodeNameToMetaVictims":{"n0":{"Pods":[{"UID":"on-n0"}]}}})";
}

/// What was asked for: "nominate", "evict" or "preempts", of each call.
struct Asked {
  std::vector<std::string> what;
  GivenServices services;
  Asked() {
    services.nominates_refused = [this](const Pod&, bool by_eviction) {
      what.emplace_back(by_eviction ? "evict" : "nominate");
    };
    services.preempts = [this](const Pod&) { what.emplace_back("preempts"); };
  }
};

ExtenderOptions on_a_live_cluster() { return {.answer = AnswerMode::kBest, .nominates_refused = true}; }

}  // namespace

TEST_SUITE("refused by a sample") {
  TEST_CASE("which refusals ask for a nomination, and what they say") {
    struct Row {
      const char* sentence;
      std::vector<std::string> full;
      std::string request;
      std::vector<std::string> asked;
      std::string reason;  ///< Of n0.
    };
    const std::string some = R"("n0","n1")", all = R"("n0","n1","n2","n3")";
    const Row rows[] = {
        {"another node fits",
         {"n0", "n1", "n2"},
         filter_of(some),
         {"nominate"},
         "Insufficient cpu (n3 outside the sample fits)"},
        {"a node of the sample fits", {"n0", "n2"}, filter_of(some), {}, ""},
        {"all nodes were asked", {"n0", "n1", "n2", "n3"}, filter_of(all), {}, "Insufficient cpu"},
        {"another node has pods of lower priority",
         {"n0", "n1", "n2", "n3"},
         filter_of(some),
         {"evict"},
         "Insufficient cpu"},
        {"the same, and the pod does not preempt",
         {"n0", "n1", "n2", "n3"},
         filter_of(some, R"("preemptionPolicy":"Never",)"),
         {},
         "Insufficient cpu"},
        {"no other node can be freed: its label is missing",
         {"n0", "n1"},
         filter_of(some, R"("nodeSelector":{"no":"node"},)"),
         {},
         "node(s) didn't match Pod's node affinity/selector"},
        {"the nominated node alone: kube-scheduler asks about the others next",
         {"n0"},
         filter_of(R"("n0")", "", R"(,"status":{"nominatedNodeName":"n0"})"),
         {},
         "Insufficient cpu"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      Asked asked;
      const RunningService service(cluster(row.full), todays_rule_set(), on_a_live_cluster(), {},
                                   {.cluster = &asked.services});
      const FilterResult answer = read_filter(service.post("/filter", row.request).body);
      REQUIRE(answer.valid);
      CHECK(asked.what == row.asked);
      const auto& list = answer.failed.contains("n0") ? answer.failed : answer.unresolvable;
      CHECK((list.contains("n0") ? list.at("n0") : "") == row.reason);
    }
  }

  TEST_CASE("switched off, nothing is asked for, and the words are the old ones") {
    Asked asked;
    ExtenderOptions options = on_a_live_cluster();
    options.nominates_refused = false;
    const RunningService service(cluster({"n0", "n1"}), todays_rule_set(), options, {},
                                 {.cluster = &asked.services});
    const FilterResult answer = read_filter(service.post("/filter", filter_of(R"("n0","n1")")).body);
    CHECK(answer.failed.at("n0") == "Insufficient cpu");
    CHECK(asked.what.empty());
  }

  TEST_CASE("preempt names nobody for a pod that fits on a node outside the sample") {
    // Its status may have changed since the filter call: kube-scheduler sends the newest.
    std::string newer = pod_text();
    newer.replace(newer.find("1000"), 4, "1001");
    const std::string victims = preempt_of_n0(newer);
    for (const bool fits : {true, false}) {
      CAPTURE(fits);
      Asked asked;
      std::vector<std::string> full{"n0", "n1", "n2"};
      if (!fits) full.emplace_back("n3");
      const RunningService service(cluster(full), todays_rule_set(), on_a_live_cluster(), {},
                                   {.cluster = &asked.services});
      // Calls of one attempt follow each other within a second, which a loaded machine may not manage.
      std::string answer;
      std::chrono::steady_clock::time_point begun;
      do {
        asked.what.clear();
        begun = std::chrono::steady_clock::now();
        service.post("/filter", filter_of(R"("n0","n1")"));
        answer = service.post("/preempt", victims).body;
      } while (std::chrono::steady_clock::now() - begun > std::chrono::milliseconds(900));
      CHECK(is_json(answer));
      CHECK(json_at(answer, "NodeNameToMetaVictims.n0.Pods.0.UID") == (fits ? "" : R"("on-n0")"));
      CHECK(asked.what ==
            (fits ? std::vector<std::string>{"nominate"} : std::vector<std::string>{"evict", "preempts"}));
    }
  }

  TEST_CASE("whom preempt names for a pod that is nominated by then, whatever is remembered") {
    struct Row {
      const char* sentence;
      RuleSet rules;
      bool nominated;
      std::string victim;  ///< On n0.
    };
    const Row rows[] = {
        {"nobody", todays_rule_set(), true, ""},
        {"somebody: it is not nominated", todays_rule_set(), false, R"("on-n0")"},
        {"somebody: a check is missing, and kube-scheduler may refuse the node",
         todays_rule_set("VolumeZone"), true, R"("on-n0")"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      RunningService service(cluster({"n0", "n1", "n2"}), row.rules, on_a_live_cluster());
      service.cache().write([](State& state) { state.set_pod(pod("p").uid("p").cpu("2")); });
      if (row.nominated)
        service.cache().write_pods([](AssumedPods& pods) {
          pods.assume_nominated("default", "p", "p", "n3", std::nullopt, std::chrono::steady_clock::now());
        });
      const std::string answer = service.post("/preempt", preempt_of_n0(pod_text())).body;
      CHECK(is_json(answer));
      CHECK(json_at(answer, "NodeNameToMetaVictims.n0.Pods.0.UID") == row.victim);
    }
  }

  TEST_CASE("refusals that another node may mend are counted") {
    Asked asked;
    const RunningService service(cluster({"n0", "n1"}), todays_rule_set(), on_a_live_cluster(), {},
                                 {.cluster = &asked.services});
    service.post("/filter", filter_of(R"("n0","n1")"));
    service.post("/filter", filter_of(R"("n2","n3")"));
    CHECK(service.metric("winnow_refused_by_sample_total") == 1);
  }
}

}  // namespace winnow::test
