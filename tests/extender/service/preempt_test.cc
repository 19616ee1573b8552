// The verb preempt over HTTP, by the bytes that a real kube-scheduler sent.
#include <doctest/doctest.h>

#include "tests/extender/service/answers.h"
#include "tests/extender/service/running_server.h"
#include "tests/storage.h"

namespace winnow::test::preempt_test {
namespace {

/// Three nodes of 32 cpu, on each a mid and a low of 15 cpu, as when the requests were captured; pods' UIDs
/// are the request's, which names mid first.
std::unique_ptr<ClusterCache> captured_cache(const std::string& answer, bool with_pods = true) {
  auto cache = std::make_unique<ClusterCache>(State::Options{});
  cache->write([&](State& state) {
    for (int i = 0; i < 3; ++i) {
      const std::string name = "node-0000" + std::to_string(i), path = "NodeNameToMetaVictims." + name;
      state.set_node(node(name).cpu("32").memory("256Gi").pods("110"));
      for (const int which : {0, 1}) {
        std::string uid = json_at(answer, path + ".Pods." + std::to_string(which) + ".UID");
        uid = uid.substr(1, uid.size() - 2);
        PodBuilder made = pod((which == 0 ? "mid-" : "low-") + std::to_string(i)).uid(uid).on(name).cpu("15");
        made.object().spec.priority = which == 0 ? 20 : 10;
        if (with_pods) state.set_pod(made);
      }
    }
  });
  return cache;
}

std::string capture_of(const std::string& form, const std::string& what) {
  return capture("preempt-" + form + "/preempt-1." + what + ".json");
}

}  // namespace

TEST_CASE("the captured requests are answered in both forms, without the victims that need not go") {
  for (const std::string form : {"cache", "full"}) {
    CAPTURE(form);
    const std::string theirs = capture_of(form, "answer");
    const RunningService service(captured_cache(theirs));
    const Answer answer = service.post("/preempt", capture_of(form, "request"));
    REQUIRE(answer.status == 200);
    for (const std::string node : {"node-00000", "node-00001", "node-00002"}) {
      const std::string path = "NodeNameToMetaVictims." + node;
      // 20 of 32 cpu: beside one of 15 there is no room.
      CHECK(json_size(answer.body, path + ".Pods") == 2);
      CHECK(json_at(answer.body, path + ".Pods") == json_at(theirs, path + ".Pods"));
      CHECK(json_at(answer.body, path + ".NumPDBViolations") == "0");
    }
    CHECK(service.metric(R"(winnow_requests_total{result="ok",verb="preempt"})") == 1);
    std::string smaller = capture_of(form, "request");
    for (auto at = smaller.find(R"("cpu":"20")"); at != std::string::npos; at = smaller.find(R"("cpu":"20")"))
      smaller.replace(at, 10, R"("cpu":"10")");
    const Answer fewer = service.post("/preempt", smaller);
    CHECK(json_at(fewer.body, "NodeNameToMetaVictims.node-00001.Pods.0") ==
          json_at(theirs, "NodeNameToMetaVictims.node-00001.Pods.1"));
    CHECK(json_size(fewer.body, "NodeNameToMetaVictims.node-00001.Pods") == 1);
  }
}

TEST_CASE("victims that the picture does not have: full pods are judged, UIDs stay") {
  for (const std::string form : {"cache", "full"}) {
    CAPTURE(form);
    const RunningService service(captured_cache(capture_of(form, "answer"), /*with_pods=*/false));
    const Answer answer = service.post("/preempt", capture_of(form, "request"));
    CHECK(json_at(answer.body, "NodeNameToMetaVictims.node-00000.Pods") ==
          json_at(capture_of(form, "answer"), "NodeNameToMetaVictims.node-00000.Pods"));
  }
}

namespace {

/// Two nodes of 2 cpu: on n0 a pod of 1 cpu that may go and one that has to stay, on n1 one that may go.
std::unique_ptr<ClusterCache> crowded_cache() {
  auto cache = std::make_unique<ClusterCache>(State::Options{});
  cache->write([](State& state) {
    for (const char* name : {"n0", "n1"}) state.set_node(node(name).cpu("2").memory("8Gi").pods("9"));
    state.set_pod(pod("low-0").uid("low-0").label("app", "low").on("n0").cpu("1"));
    state.set_pod(pod("stays").uid("stays").on("n0").cpu("1"));
    state.set_pod(pod("low-1").uid("low-1").label("app", "low").on("n1").cpu("2"));
    PodDisruptionBudget budget;
    budget.metadata.name = "low";
    budget.metadata.namespace_ = "default";
    budget.selector.emplace().match_labels["app"] = "low";
    state.objects.of<PodDisruptionBudget>()["default/low"] = budget;
  });
  return cache;
}

std::string asking(const std::string& cpu) {
  return R"({"Pod":{"metadata":{"name":"high","namespace":"default","uid":"high"},"spec":{"priority":9,)"
         R"("containers":[{"name":"c","resources":{"requests":{"cpu":")" +
         cpu + R"("}}}]}})";
}
const char* const kBothNodes =
    R"("NodeNameToMetaVictims":{"n0":{"Pods":[{"UID":"low-0"}]},"n1":{"Pods":[{"UID":"low-1"}]}})";

}  // namespace

TEST_CASE("a candidate that evictions do not help is dropped, and broken budgets are counted") {
  const RunningService service(crowded_cache());
  const Answer both = service.post("/preempt", asking("1") + "," + kBothNodes + "}");
  for (const std::string node : {"n0", "n1"})
    CHECK(json_at(both.body, "NodeNameToMetaVictims." + node + ".NumPDBViolations") == "1");
  CHECK(service.post("/preempt", asking("2") + "," + kBothNodes + "}").body ==
        R"({"NodeNameToMetaVictims":{"n1":{"Pods":[{"UID":"low-1"}],"NumPDBViolations":1}}})");
}

TEST_CASE("where both forms are given the one with UIDs counts") {
  const RunningService service(crowded_cache());
  const std::string full =
      R"("NodeNameToVictims":{"n0":{"Pods":[{"metadata":{"name":"low-0","uid":"low-0"}}],"NumPDBViolations":0}})";
  const std::string meta = R"("NodeNameToMetaVictims":{"n1":{"Pods":[{"UID":"low-1"}]}})";
  for (const std::string& forms : {full + "," + meta, meta + "," + full}) {
    CAPTURE(forms);
    CHECK(service.post("/preempt", asking("1") + "," + forms + "}").body ==
          R"({"NodeNameToMetaVictims":{"n1":{"Pods":[{"UID":"low-1"}],"NumPDBViolations":1}}})");
  }
}

namespace {

/// Four CPUs; on it a pod of three, and a small one with app=x.
std::unique_ptr<ClusterCache> cache_of_two_victims() {
  auto cache = std::make_unique<ClusterCache>(State::Options{});
  cache->write([](State& state) {
    state.set_node(node("n").label("kubernetes.io/hostname", "n").cpu("4").memory("8Gi").pods("9"));
    state.set_pod(pod("large").uid("large").on("n").cpu("3"));
    state.set_pod(pod("x").uid("x").label("app", "x").on("n").cpu("100m"));
  });
  return cache;
}
/// A pod of two CPUs. @param spec  what else there is in its spec.
std::string wants_two(const std::string& spec) {
  return R"({"Pod":{"metadata":{"name":"high","namespace":"default","uid":"high"},"spec":{"priority":9,)" +
         spec +
         R"("containers":[{"name":"c","resources":{"requests":{"cpu":"2"}}}]}},"NodeNameToMetaVictims":)"
         R"({"n":{"Pods":[{"UID":"large"},{"UID":"x"}]}}})";
}
RuleSet rules_of_policy(const std::string& predicates) {
  auto loaded = load_rules(
      "policy.yaml", "kind: Policy\napiVersion: v1\npredicates: " + predicates + "\npriorities: []\n", {});
  REQUIRE_MESSAGE(loaded.has_value(), (loaded ? "" : loaded.error()));
  return std::move(loaded->sets.front());
}

}  // namespace

TEST_CASE("victims that the rules do not need, and kube-scheduler's filters do, stay victims") {
  const std::string apart =
      R"("affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":)"
      R"("kubernetes.io/hostname","labelSelector":{"matchLabels":{"app":"x"}}}]}},)";
  const std::string spread =
      R"("topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"kubernetes.io/hostname",)"
      R"("whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchLabels":{"app":"x"}}}],)";
  const std::string with_claim = R"("volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"data"}}],)";
  struct Row {
    std::string sentence, predicates, spec;
    std::vector<std::string> victims;
  };
  const Row rows[] = {
      {"cpu alone", "[{name: GeneralPredicates}]", "", {"large"}},
      {"cpu and anti-affinity", "[{name: GeneralPredicates}]", apart, {"large", "x"}},
      {"cpu and hard spread", "[{name: GeneralPredicates}]", spread, {"large", "x"}},
      {"cpu and a claim", "[{name: PodFitsResources}]", with_claim, {"large", "x"}},
      {"the classic rule of that need knows less than the filter",
       "[{name: GeneralPredicates}, {name: MatchInterPodAffinity}]",
       apart,
       {"large", "x"}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    auto cache = cache_of_two_victims();
    cache->write([](State& state) {
      Storage{{pvc("data").bound_to("disk")}, {pv("disk").source(gce_disk("disk"))}, {}, {}}.put_into(state);
    });
    const RunningService service(std::move(cache), rules_of_policy(row.predicates));
    const std::string body = service.post("/preempt", wants_two(row.spec)).body;
    std::vector<std::string> victims;
    for (std::size_t i = 0; i < json_size(body, "NodeNameToMetaVictims.n.Pods"); ++i) {
      const std::string uid = json_at(body, "NodeNameToMetaVictims.n.Pods." + std::to_string(i) + ".UID");
      victims.push_back(uid.substr(1, uid.size() - 2));
    }
    CHECK(victims == row.victims);
  }
}

namespace {

/// Of a pod that needs all of a node, about these nodes of the crowded cache's.
std::string wants_all(const std::string& victims, const std::string& nominated,
                      const std::string& uid = "high") {
  return R"({"Pod":{"metadata":{"name":"high","namespace":"default","uid":")" + uid +
         R"("},"spec":{"priority":9,"containers":[{"name":"c","resources":{"requests":{"cpu":"2"}}}]},)"
         R"("status":{"nominatedNodeName":")" +
         nominated + R"("}},"NodeNameToMetaVictims":{)" + victims + "}}";
}
const std::string kOnFirst = R"("n0":{"Pods":[{"UID":"low-0"}]})",
                  kOnSecond = R"("n1":{"Pods":[{"UID":"low-1"}]})";
const std::string kAll = R"("n0":{"Pods":[{"UID":"low-0"},{"UID":"stays"}]})";

std::string nodes_named(const Answer& answer) {
  std::string nodes;
  for (const std::string node : {"n0", "n1"})
    if (json_size(answer.body, "NodeNameToMetaVictims." + node + ".Pods") > 0) nodes += node;
  return nodes;
}

}  // namespace

TEST_CASE("nobody is named for a pod while those named for it before are still there") {
  struct Row {
    std::string sentence;
    bool assume;
    std::string request, named;
  };
  const Row rows[] = {
      {"they are gone for kube-scheduler, which asks about another node", true, wants_all(kOnSecond, "n0"),
       ""},
      {"one of them is gone for kube-scheduler", true, wants_all(kOnFirst + "," + kOnSecond, "n0"), ""},
      {"they are not gone, and named again", true, wants_all(kAll + "," + kOnSecond, "n0"), "n0n1"},
      {"on the other node that was named", true, wants_all(kAll, "n1"), ""},
      {"the pod is not nominated", true, wants_all(kOnSecond, ""), "n1"},
      {"the pod is nominated for a node that was not named", true, wants_all(kOnSecond, "n2"), "n1"},
      {"they were named for another pod", true, wants_all(kOnSecond, "n0", "other"), "n1"},
      {"the picture is no live cluster's", false, wants_all(kOnSecond, "n0"), "n1"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    ExtenderOptions options;
    options.assume = row.assume;
    const RunningService service(crowded_cache(), default_rule_set(), options);
    REQUIRE(nodes_named(service.post("/preempt", wants_all(kAll + "," + kOnSecond, ""))) == "n0n1");
    CHECK(nodes_named(service.post("/preempt", row.request)) == row.named);
  }
}

TEST_CASE("nobody is named however often kube-scheduler asks, until they are gone") {
  ExtenderOptions options;
  options.assume = true;
  RunningService service(crowded_cache(), default_rule_set(), options);
  REQUIRE(nodes_named(service.post("/preempt", wants_all(kAll, ""))) == "n0");
  const std::string request = wants_all(kOnSecond, "n0");
  for (int i = 0; i < 3; ++i)
    CHECK(service.post("/preempt", request).body == R"({"NodeNameToMetaVictims":{}})");
  const auto gone = [&](const char* name) {
    service.cache().write([&](State& state) { state.remove_pod("default", name); });
  };
  gone("low-0");
  CHECK(nodes_named(service.post("/preempt", request)).empty());
  gone("stays");
  CHECK(nodes_named(service.post("/preempt", request)) == "n1");
}

TEST_CASE("what cannot be answered is refused with a line") {
  const RunningService service(cache_of_size(1));
  struct Case {
    std::string body, line;
  };
  const Case cases[] = {
      {"{", "bad request body: byte 1: expected a string, found the end\n"},
      {R"({"NodeNameToMetaVictims":{}})", "bad request body: Pod: the request has none\n"},
      {R"({"Pod":{"metadata":{"name":"p"}}})",
       "bad request body: the request names no victims: expected NodeNameToMetaVictims or "
       "NodeNameToVictims\n"},
      {R"({"Pod":{},"NodeNameToVictims":{"n0":{"Pods":[{"spec":1}]}}})",
       "bad request body: NodeNameToVictims[\"n0\"].Pods[0]: spec: 1 is not an object\n"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.body);
    const Answer answer = service.post("/preempt", c.body);
    CHECK(answer.status == 400);
    CHECK(answer.body == c.line);
  }
  const Answer none =
      service.post("/preempt", R"({"Pod":{},"NodeNameToMetaVictims":{"gone":{"Pods":[{"UID":"u"}]}}})");
  CHECK(none.status == 200);
  CHECK(none.body == R"({"NodeNameToMetaVictims":{}})");
  CHECK(service.ask("GET", "/preempt").status == 405);
}

}  // namespace winnow::test::preempt_test
