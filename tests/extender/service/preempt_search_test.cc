// The verb preempt where it looks for victims on all nodes, and where it does not.
#include <doctest/doctest.h>

#include "extender/engine/victim_search.h"
#include "tests/extender/service/answers.h"
#include "tests/extender/service/running_server.h"

namespace winnow::test {
namespace {

Pod running(const std::string& name, const std::string& node, std::int32_t priority) {
  PodBuilder made = pod(name).uid(name).on(node).cpu("2");
  made.object().spec.priority = priority;
  return made;
}

/// Three nodes of two CPUs, each with one pod: on n0 the most important one, on n2 the least.
std::unique_ptr<ClusterCache> full_nodes() {
  auto cache = std::make_unique<ClusterCache>(kTodaysOptions);
  cache->write([](State& state) {
    for (const char* name : {"n0", "n1", "n2"}) state.set_node(node(name).cpu("2").memory("8Gi").pods("9"));
    state.set_pod(running("a", "n0", 7));
    state.set_pod(running("b", "n1", 5));
    state.set_pod(running("c", "n2", 3));
  });
  return cache;
}

/// The same, with a class of devices that are the resource nvidia.com/gpu.
std::unique_ptr<ClusterCache> full_nodes_with_devices() {
  auto cache = full_nodes();
  cache->write([](State& state) {
    DeviceClass gpu;
    gpu.metadata.name = "gpu";
    gpu.extended_resource_name = "nvidia.com/gpu";
    state.objects.of<DeviceClass>()["gpu"] = gpu;
  });
  return cache;
}

std::string asking(const std::string& victims, const std::string& name = "high",
                   const std::string& spec = "") {
  return R"({"Pod":{"metadata":{"name":")" + name +
         R"(","namespace":"default","resourceVersion":"1000","uid":")" + name +
         R"("},"spec":{"priority":9,)" + spec +
         R"("containers":[{"name":"c","resources":{"requests":{"cpu":"2"}}}]}},)" + victims + "}";
}
const std::string kFirst = R"("NodeNameToMetaVictims":{"n0":{"Pods":[{"UID":"a"}]}})";

/// "NODE VICTIM" for each node of an answer.
std::string words(const Answer& answer) {
  std::string text;
  for (const std::string node : {"n0", "n1", "n2"})
    if (const std::string uid = json_at(answer.body, "NodeNameToMetaVictims." + node + ".Pods.0.UID");
        !uid.empty())
      text += (text.empty() ? "" : ", ") + node + ' ' + uid;
  return text;
}

ExtenderOptions searching(std::optional<PreemptSearch> where, bool assume = false) {
  ExtenderOptions options;
  options.preempt_search = where;
  options.assume = assume;
  return options;
}

}  // namespace

TEST_CASE("preempt answers the best of all nodes, where the rules make every check") {
  struct Row {
    std::string sentence;
    RuleSet rules;
    std::optional<PreemptSearch> where;
    std::string request, answer;
  };
  const std::string whole =
      R"("NodeNameToVictims":{"n0":{"Pods":[{"metadata":{"name":"a","uid":"a"},"spec":{"priority":7}}]}})";
  const Row rows[] = {
      {"today's rules", todays_rule_set(), std::nullopt, asking(kFirst), R"(n2 "c")"},
      {"a check is missing", todays_rule_set("VolumeZone"), std::nullopt, asking(kFirst), R"(n0 "a")"},
      {"a check is missing, and the flag is for all nodes", todays_rule_set("VolumeZone"),
       PreemptSearch::kAll, asking(kFirst), R"(n2 "c")"},
      {"the flag is for the candidates", todays_rule_set(), PreemptSearch::kCandidates, asking(kFirst),
       R"(n0 "a")"},
      {"victims in full", todays_rule_set(), std::nullopt, asking(whole), R"(n0 "a")"},
      {"the pod claims devices, which no rule judges", todays_rule_set("DynamicResources"),
       PreemptSearch::kAll, asking(kFirst, "high", R"("resourceClaims":[{"name":"gpu"}],)"), R"(n0 "a")"},
      {"the pod may not preempt", todays_rule_set(), std::nullopt,
       asking(kFirst, "high", R"("preemptionPolicy":"Never",)"), ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    const RunningService service(full_nodes(), row.rules, searching(row.where));
    CHECK(words(service.post("/preempt", row.request)) == row.answer);
  }
}

TEST_CASE("a pod whose devices no rule judges evicts on kube-scheduler's candidates alone") {
  const RunningService service(full_nodes_with_devices(), todays_rule_set("DynamicResources"),
                               searching(PreemptSearch::kAll));
  const std::string gpu =
      R"({"Pod":{"metadata":{"name":"gpu","namespace":"default","resourceVersion":"1000","uid":"gpu"},)"
      R"("spec":{"priority":9,"containers":[{"name":"c","resources":{"requests":)"
      R"({"cpu":"2","nvidia.com/gpu":"1"}}}]}},)" +
      kFirst + "}";
  CHECK(words(service.post("/preempt", gpu)) == R"(n0 "a")");
  for (const RunningService& judged : {RunningService(full_nodes_with_devices(), todays_rule_set()),
                                       RunningService(full_nodes(), todays_rule_set())})
    CHECK(words(judged.post("/preempt", gpu)).empty());
}

TEST_CASE("a candidate without victims gets those that the search finds there") {
  const RunningService service(full_nodes(), todays_rule_set(), searching(PreemptSearch::kCandidates));
  CHECK(words(service.post("/preempt", asking(R"("NodeNameToMetaVictims":{"n1":{"Pods":null}})"))) ==
        R"(n1 "b")");
  CHECK(words(service.post(
            "/preempt",
            asking(R"("NodeNameToMetaVictims":{"n0":{"Pods":[{"UID":"a"}]},"n1":{"Pods":[]},"gone":{}})"))) ==
        R"(n0 "a", n1 "b")");
  const RunningService searches(full_nodes(), todays_rule_set());
  CHECK(words(searches.post("/preempt", asking(R"("NodeNameToMetaVictims":{"n1":{"Pods":[]}})"))) ==
        R"(n2 "c")");
}

TEST_CASE("a node that was answered for one pod is no other's until the watch shows the nomination") {
  RunningService service(full_nodes(), todays_rule_set(), searching(std::nullopt, /*assume=*/true));
  REQUIRE(words(service.post("/preempt", asking(kFirst, "one"))) == R"(n2 "c")");
  CHECK(words(service.post("/preempt", asking(kFirst, "two"))) == R"(n1 "b")");
  CHECK(words(service.post("/preempt", asking(kFirst, "one"))) == R"(n2 "c")");
  service.cache().write([](State& state) {
    Pod one = pod("one").uid("one").cpu("2");
    one.spec.priority = 8;
    one.status.nominated_node_name = "n2";
    state.set_pod(one);
  });
  // It is nominated now, but of lower priority than the pod that asks: it has to give way.
  CHECK(words(service.post("/preempt", asking(kFirst, "three"))) == R"(n2 "c")");
}

TEST_CASE("a node that was answered for a pod is free when the watch has shown the pod's end") {
  RunningService service(full_nodes(), todays_rule_set(), searching(std::nullopt, /*assume=*/true));
  REQUIRE(words(service.post("/preempt", asking(kFirst, "one"))) == R"(n2 "c")");
  service.cache().write_pods([](AssumedPods& pods) { pods.watched_up_to(999); });
  CHECK(words(service.post("/preempt", asking(kFirst, "two"))) == R"(n1 "b")");
  service.cache().write_pods([](AssumedPods& pods) { pods.watched_up_to(1000); });
  CHECK(words(service.post("/preempt", asking(kFirst, "two"))) == R"(n2 "c")");
}

TEST_CASE("a pod that only Winnow has nominated is no victim") {
  RunningService service(full_nodes(), todays_rule_set(), searching(std::nullopt, /*assume=*/true));
  service.cache().write([](State& state) {
    state.remove_pod("default", "c");
    Pod waits = pod("waits").uid("waits").cpu("2");
    waits.spec.priority = 1;
    state.set_pod(waits);
  });
  service.cache().write_pods(
      [](AssumedPods& pods) { pods.assume_nominated("default", "waits", "waits", "n2", std::nullopt, {}); });
  CHECK(words(service.post("/preempt", asking(kFirst))) == R"(n1 "b")");
  // An API server has bound it: kube-scheduler knows it there.
  service.cache().write_pods([](AssumedPods& pods) { pods.set_bound("default", "waits", "waits", "n2"); });
  CHECK(words(service.post("/preempt", asking(kFirst, "another"))) == R"(n2 "waits")");
}

TEST_CASE("where others filter too, candidates alone are tried") {
  const std::string head = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";
  const std::pair<const char*, bool> rows[] = {
      {"", true},
      {"extenders: [{urlPrefix: 'http://a', filterVerb: f, preemptVerb: p}]\n", true},
      {"extenders: [{urlPrefix: 'http://a', filterVerb: f}, {urlPrefix: 'http://b', prioritizeVerb: p, "
       "weight: 1}]\n",
       true},
      {"extenders: [{urlPrefix: 'http://a', filterVerb: f}, {urlPrefix: 'http://b', preemptVerb: p}]\n",
       false},
      {"profiles: [{plugins: {multiPoint: {enabled: [{name: Own}]}}}]\n", false},
      {"profiles: [{plugins: {filter: {enabled: [{name: Own}]}}}]\n", false},
      {"profiles: [{plugins: {preFilter: {enabled: [{name: Own}]}}}]\n", false},
      {"profiles: [{plugins: {score: {enabled: [{name: Own}]}}}]\n", true},
  };
  for (const auto& [text, all] : rows) {
    CAPTURE(text);
    const auto loaded = load_rules("f", head + text, {});
    REQUIRE_MESSAGE(loaded.has_value(), (loaded ? "" : loaded.error()));
    CHECK(cover_all_filters(loaded->sets.front()) == all);
  }
}

TEST_CASE("victims that cannot be found in time give no answer") {
  ExtenderOptions options = searching(std::nullopt);
  options.request_timeout = std::chrono::milliseconds(-1);
  const RunningService service(full_nodes(), todays_rule_set(), options);
  CHECK(service.post("/preempt", asking(kFirst)).status == 503);
}

}  // namespace winnow::test
