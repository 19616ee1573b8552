// /explain: its three forms, and that it says what filter and prioritize answer.
#include <doctest/doctest.h>

#include <algorithm>
#include <format>

#include "extender/config/rules_summary.h"
#include "extender/service/recheck.h"
#include "tests/extender/service/answers.h"
#include "tests/extender/service/fake_rules.h"
#include "tests/extender/service/running_server.h"

namespace winnow::test {
namespace {

using Names = std::vector<std::string>;

std::unique_ptr<ClusterCache> small_cache() {
  return cache_of(
      {node("b").cpu("2").pods("10"), node("a").cpu("1").pods("10"), node("c").cpu("4").pods("10")},
      {pod("waits").cpu("1500m"), pod("runs").cpu("3").on("c"), pod("web").in("shop").cpu("1")});
}
Names names_in(const std::string& body) {
  Names names;
  for (std::size_t i = 0; i < json_size(body, "nodes"); ++i)
    names.push_back(json_at(body, "nodes." + std::to_string(i) + ".name"));
  return names;
}

TEST_CASE(
    "a pod that no API server has seen gets the defaults, and a warning for each field that it would "
    "refuse") {
  const RunningService service(small_cache());
  const std::string limits = R"("containers":[{"name":"c","image":"i","resources":{"limits":{"cpu":"3"}}}])";
  const std::string good =
      service.post("/explain", R"({"Pod":{"metadata":{"name":"p"},"spec":{)" + limits + "}}}").body;
  CHECK_MESSAGE(json_at(good, "feasible") == "0", "it requests what it has a limit for");
  CHECK_FALSE(good.contains("warnings"));
  const std::string bad =
      service
          .post("/explain",
                R"({"Pod":{"metadata":{"name":"p"},"spec":{"tolerations":[{"operator":"Equal"}],)" + limits +
                    "}}}")
          .body;
  CHECK(json_size(bad, "warnings") == 1);
  CHECK(json_at(bad, "warnings.0").contains("spec.tolerations[0].operator: Invalid value"));
  const auto slip = [&](const std::string& uid) {
    return service
        .post("/explain", R"({"Pod":{"metadata":{"name":"p")" + uid +
                              R"(},"spec":{"nodeselector":{"a":"b"},)" + limits + "}}}")
        .body;
  };
  CHECK(json_size(slip(""), "warnings") == 1);
  CHECK(json_at(slip(""), "warnings.0") ==
        R"x("unknown field \"spec.nodeselector\" (did you mean \"nodeSelector\"?)")x");
  CHECK_FALSE_MESSAGE(slip(R"(,"uid":"u")").contains("warnings"), "an API server has stored it");
  const std::string nodes = service
                                .post("/explain", R"({"Pod":{"metadata":{"name":"p"},"spec":{)" + limits +
                                                      R"(}},"Nodes":{"items":[{"metadata":{"name":"new"},)" +
                                                      R"("status":{"capacity":{"cpu":"9","pods":"9"}}}]}})")
                                .body;
  CHECK_MESSAGE(json_at(nodes, "selected") == R"("new")", "a node without allocatable has its capacity");
}

TEST_CASE("a new pod gets what its classes give; a class that is not there is said") {
  auto cache = small_cache();
  cache->write([](State& state) {
    PriorityClass high;
    high.metadata.name = "high";
    high.value = 1000;
    ObjectWriter<PriorityClass>::set(state, high);
    RuntimeClass kata;
    kata.metadata.name = "kata";
    kata.overhead = ResourceList{{"cpu", Quantity::of_units(1)}};
    ObjectWriter<RuntimeClass>::set(state, kata);
  });
  const RunningService service(std::move(cache));
  const auto explained = [&](const std::string& uid, const std::string& classes) {
    return service
        .post("/explain",
              R"({"Pod":{"metadata":{"name":"p")" + uid + R"(},"spec":{)" + classes +
                  R"("containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"1"}}}]}}})")
        .body;
  };
  CHECK(json_at(explained("", ""), "feasible") == "3");
  CHECK_MESSAGE(json_at(explained("", R"("runtimeClassName":"kata",)"), "feasible") == "1",
                "only b has room for the overhead");
  CHECK_FALSE(explained("", R"("priorityClassName":"high","runtimeClassName":"kata",)").contains("warnings"));
  CHECK(
      json_at(explained("", R"("priorityClassName":"low","runtimeClassName":"kata",)"), "warnings.0") ==
      R"x("pods \"p\" is forbidden: no PriorityClass with name low was found; expected it in the cluster or in a file")x");
  CHECK_MESSAGE(json_at(explained(R"(,"uid":"u")", R"("runtimeClassName":"kata",)"), "feasible") == "3",
                "a stored pod has its overhead, or had none");
  const RunningService without(small_cache());
  CHECK(without
            .post("/explain", R"({"Pod":{"metadata":{"name":"p"},"spec":{"runtimeClassName":"kata",)"
                              R"("containers":[{"name":"c","image":"i"}]}}})")
            .body.contains(R"("notJudged":["RuntimeClass \"kata\": no RuntimeClass is known,)"));
}

TEST_CASE("the forms of the question") {
  const RunningService service(small_cache());
  const std::string given =
      R"({"metadata":{"name":"given"},"spec":{"containers":[{"resources":{"requests":{"cpu":"1500m"}}}]}})";
  struct Row {
    const char* sentence;
    std::string body;
    std::string pod;
    std::string selected;
    Names nodes;
  };
  const Row rows[] = {
      {"a pod", R"({"Pod":)" + given + "}", R"("default/given")", R"("b")", {R"("a")", R"("b")", R"("c")"}},
      {"a pod and names",
       args_with_names({"c", "nobody", "b"}, given),
       R"("default/given")",
       R"("b")",
       {R"("b")", R"("c")"}},
      {"a pod and full nodes",
       R"({"Pod":)" + given +
           R"(,"Nodes":{"items":[{"metadata":{"name":"new"}},{"metadata":{"name":"a"},"status":{"allocatable":{"cpu":"9","pods":"9"}}}]}})",
       R"("default/given")",
       R"("a")",
       {R"("a")", R"("new")"}},
      {"namespace and name",
       R"({"Namespace":"shop","Name":"web"})",
       R"("shop/web")",
       R"("b")",
       {R"("a")", R"("b")", R"("c")"}},
      {"a name in the default namespace",
       R"({"name":"waits"})",
       R"("default/waits")",
       R"("b")",
       {R"("a")", R"("b")", R"("c")"}},
      {"a name, and some nodes",
       R"({"Name":"waits","NodeNames":["c","nobody"]})",
       R"("default/waits")",
       "null",
       {R"("c")"}},
      {"a name, and full nodes",
       R"({"Name":"waits","Nodes":{"items":[{"metadata":{"name":"new"},"status":{"allocatable":{"cpu":"9","pods":"9"}}},{"metadata":{"name":"b"},"spec":{"unschedulable":true}}]}})",
       R"("default/waits")",
       R"("new")",
       {R"("b")", R"("new")"}},
      {"a pod that runs, and its own node as the request has it",
       R"({"Name":"runs","Nodes":{"items":[{"metadata":{"name":"c"},"status":{"allocatable":{"cpu":"3","pods":"1"}}}]}})",
       R"("default/runs")",
       R"("c")",
       {R"("c")"}},
      {"no node at all", R"({"Name":"waits","NodeNames":[]})", R"("default/waits")", "null", {}},
      {"a pod that runs is looked at as if it were placed again",
       R"({"Name":"runs"})",
       R"("default/runs")",
       R"("c")",
       {R"("a")", R"("b")", R"("c")"}},
      {"a pod wins over a name",
       R"({"Name":"nobody","Pod":)" + given + "}",
       R"("default/given")",
       R"("b")",
       {R"("a")", R"("b")", R"("c")"}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    const Answer answer = service.post("/explain", row.body);
    CHECK(answer.status == 200);
    CHECK(is_json(answer.body));
    CHECK(answer.body.find('\n') == answer.body.size() - 1);
    CHECK(json_at(answer.body, "pod") == row.pod);
    CHECK(json_at(answer.body, "selected") == row.selected);
    CHECK(names_in(answer.body) == row.nodes);
  }
}

TEST_CASE("an error of a priority is shown where one node fits, and is the pod's where more do") {
  RuleSet rules;
  rules.predicates = {full_on({"b", "c"})};
  rules.priorities = {by_digit(), broken_priority()};
  rules.priorities.push_back({"Broken too", &bind_broken});
  const RunningService service(small_cache(), rules);
  const std::string one = service.post("/explain", R"({"Name":"waits"})").body;
  CHECK(json_at(one, "error") == "");
  CHECK(json_at(one, "feasible") == "1");
  CHECK(json_at(one, "selected") == R"("a")");
  CHECK(json_at(one, "nodes.0.scoreError.rule") == R"("Broken")");
  CHECK(json_at(one, "nodes.0.scoreError.error") == R"("this priority is broken")");
  CHECK(json_at(one, "nodes.0.scores") == "");
  CHECK(json_at(one, "nodes.1.scoreError") == "");

  rules.predicates = {full_on({"c"})};
  const RunningService other(small_cache(), rules);
  const std::string two = other.post("/explain", R"({"Name":"waits"})").body;
  CHECK(json_at(two, "error") == R"("this priority is broken")");
  CHECK(json_at(two, "selected") == "null");
  CHECK(json_at(two, "nodes.0.scoreError") == "");
}

/// What explain says of a pod against what filter and prioritize answer for it.
void check_agreement(const RunningService& service, const Names& names, const std::string& pod_json) {
  const std::string explained = service.post("/explain", args_with_names(names, pod_json)).body;
  const FilterResult filter = read_filter(service.post("/filter", args_with_names(names, pod_json)).body);
  CHECK(filter.valid);
  if (!filter.error.empty()) {
    CHECK(json_at(explained, "error") == '"' + filter.error + '"');
    CHECK(json_at(explained, "feasible") == "0");
    CHECK(json_at(explained, "selected") == "null");
    return;
  }
  CHECK(json_at(explained, "error") == "");
  CHECK(json_at(explained, "feasible") == std::to_string(filter.fit.size()));
  const auto scores =
      read_scores(service.post("/prioritize", args_with_names(filter.fit, pod_json)).body).value();
  REQUIRE(json_size(explained, "nodes") == names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string at = "nodes." + std::to_string(i) + '.';
    std::string name = json_at(explained, at + "name");
    name = name.substr(1, name.size() - 2);
    const auto score = std::ranges::find(scores, name, &std::pair<std::string, std::int64_t>::first);
    CHECK((json_at(explained, at + "fits") == "true") == (score != scores.end()));
    if (score != scores.end()) CHECK(json_at(explained, at + "answer") == std::to_string(score->second));
    const std::string text = filter.failed.contains(name)         ? filter.failed.at(name)
                             : filter.unresolvable.contains(name) ? filter.unresolvable.at(name)
                                                                  : "";
    if (text.empty()) continue;
    // The first predicate that refuses is the one whose reasons filter gave.
    for (std::size_t rule = 0; rule < json_size(explained, at + "filters"); ++rule) {
      const std::string filter_at = at + "filters." + std::to_string(rule) + '.';
      if (json_at(explained, filter_at + "fits") == "true") continue;
      CHECK((json_at(explained, filter_at + "resolvable") == "true") == filter.failed.contains(name));
      std::string joined;
      for (std::size_t reason = 0; reason < json_size(explained, filter_at + "reasons"); ++reason) {
        std::string one = json_at(explained, filter_at + "reasons." + std::to_string(reason));
        joined += (joined.empty() ? "" : ", ") + one.substr(1, one.size() - 2);
      }
      CHECK(joined == text);
      break;
    }
  }
}

TEST_CASE("explain says what filter and prioritize answer") {
  Names names;
  for (int i = 0; i < 9; ++i) names.push_back("node-0000" + std::to_string(i));
  for (const char* more : {"gpu-00000", "gpu-00001", "spot-00000"}) names.emplace_back(more);
  const std::string pods[] = {
      R"({"metadata":{"name":"a"}})",
      R"({"metadata":{"name":"b","labels":{"app":"web"}},"spec":{"containers":[{"resources":{"requests":{"cpu":"3","memory":"2Gi"}}}]}})",
      R"({"metadata":{"name":"c"},"spec":{"containers":[{"resources":{"requests":{"cpu":"90"}}}]}})",
      R"({"metadata":{"name":"d"},"spec":{"tolerations":[{"operator":"Exists"}]}})",
      R"({"metadata":{"name":"e"},"spec":{"nodeName":"node-00004"}})",
      R"({"metadata":{"name":"f"},"spec":{"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"gone"}}]}})",
      capture("names/filter-1.request.json"),
  };
  for (const ScoreScale scale : {ScoreScale::kBest, ScoreScale::kMean}) {
    ExtenderOptions options;
    options.scale = scale;
    const RunningService service(sample_cache(), default_rule_set(), options);
    for (const std::string& pod : pods) {
      CAPTURE(pod);
      const std::string only_pod = pod.starts_with(R"({"Pod":)") ? json_at(pod, "Pod") : pod;
      if (only_pod.contains("\"gone\"")) {
        const FilterResult filter =
            read_filter(service.post("/filter", args_with_names(names, only_pod)).body);
        CHECK(filter.error == R"(persistentvolumeclaim "gone" not found)");
        CHECK(json_at(service.post("/explain", args_with_names(names, only_pod)).body, "error") ==
              R"("persistentvolumeclaim \"gone\" not found")");
        continue;
      }
      check_agreement(service, names, only_pod);
    }
  }
}

TEST_CASE("errors of rules") {
  RuleSet rules;
  rules.predicates = {full_on({"n1", "n2"}), errs_on({"n1", "n3"})};
  rules.priorities = {by_digit()};
  const RunningService service(cache_of_size(4), rules);
  const std::string hidden = service.post("/explain", args_with_names({"n0", "n1"})).body;
  CHECK(json_at(hidden, "error") == "");
  CHECK(json_at(hidden, "selected") == R"("n0")");
  CHECK(json_at(hidden, "nodes.1.filters.1.error") == R"("100% broken")");
  const std::string open = service.post("/explain", args_with_names({"n0", "n3"})).body;
  CHECK(json_at(open, "error") == R"("100% broken")");
  CHECK(json_at(open, "feasible") == "0");
  CHECK(json_at(open, "selected") == "null");
  CHECK(json_at(open, "nodes.0.fits") == "true");

  rules.always_check_all_predicates = true;
  const RunningService all(cache_of_size(4), rules);
  CHECK(json_at(all.post("/explain", args_with_names({"n0", "n1"})).body, "error") == R"("100% broken")");
}

TEST_CASE("upstream scores only where there is a choice") {
  RuleSet rules;
  rules.predicates = {full_on({"n1"})};
  rules.priorities = {broken_priority()};
  const RunningService service(cache_of_size(3), rules);
  const std::string one = service.post("/explain", args_with_names({"n0", "n1"})).body;
  CHECK(json_at(one, "error") == "");
  CHECK(json_at(one, "feasible") == "1");
  CHECK(json_at(one, "selected") == R"("n0")");
  const std::string two = service.post("/explain", args_with_names({"n0", "n2"})).body;
  CHECK(json_at(two, "error") == R"("this priority is broken")");
  CHECK(json_at(two, "selected") == "null");
}

TEST_CASE("what filter would answer as an error for any pod, explain does") {
  std::string why = "winnow: nodes have not been listed";
  GivenServices given;
  given.says_unusable = [&] { return why; };
  const RunningService service(small_cache(), default_rule_set(), {}, {}, {.cluster = &given});
  const std::string rest =
      R"(,"feasible":0,"selected":null,"error":"winnow: nodes have not been listed","nodes":[]})"
      "\n";
  const std::pair<std::string, std::string> rows[] = {
      {R"({"Name":"waits"})", R"({"pod":"default/waits")"},
      {R"({"Namespace":"shop","Name":"not-listed-yet"})", R"({"pod":"shop/not-listed-yet")"},
      {args_with_names({"a"}, R"({"metadata":{"name":"given"}})"), R"({"pod":"default/given")"},
  };
  for (const auto& [body, pod] : rows) {
    CAPTURE(body);
    const Answer answer = service.post("/explain", body);
    CHECK(answer.status == 200);
    CHECK(answer.body == pod + rest);
  }
  CHECK(read_filter(service.post("/filter", rows[2].first).body).error == why);
  CHECK(service.metric(R"(winnow_requests_total{result="error",verb="explain"})") == 3);
  CHECK(service.post("/explain", "{}").status == 400);
  CHECK(service.post("/explain", "{").status == 400);
  why.clear();
  CHECK(json_at(service.post("/explain", rows[0].first).body, "feasible") == "1");
}

TEST_CASE("a bound pod's node is named, beside where it would go now") {
  const RunningService service(small_cache());
  const std::string given =
      R"({"metadata":{"name":"runs","uid":"uid-of-runs"},"spec":{"nodeName":"c","containers":[{"resources":{"requests":{"cpu":"1"}}}]}})";
  for (const std::string& body : {std::string(R"({"Name":"runs"})"), R"({"Pod":)" + given + "}",
                                  args_with_names({"a", "b", "c"}, given)}) {
    CAPTURE(body);
    const std::string answer = service.post("/explain", body).body;
    CHECK(json_at(answer, "node") == R"("c")");
    CHECK(json_at(answer, "selected") == R"("c")");
    // It needs 3 cpu, as the cache has it, and is free to go anywhere.
    CHECK(json_at(answer, "feasible") == "1");
    CHECK(answer.contains(R"("node":"c",")"));
  }
  CHECK(json_at(service.post("/explain", R"({"Name":"waits"})").body, "node") == "");
  std::string other = given;
  other.replace(other.find("uid-of-runs"), 11, "another");
  const std::string answer = service.post("/explain", R"({"Pod":)" + other + "}").body;
  CHECK(json_at(answer, "node") == "");
  CHECK(json_at(answer, "feasible") == "1");  // The node that it names itself.
}

/// A node that a pod of low priority fills, and one that nobody may go to.
std::unique_ptr<ClusterCache> full_cache() {
  PodBuilder low = pod("low").uid("low").label("app", "x").on("a").cpu("2");
  low.object().spec.priority = 1;
  return cache_of({node("a").cpu("2").pods("10").label("host", "a"),
                   node("b").cpu("2").pods("10").label("host", "b").cordoned()},
                  {low});
}
std::string high(const std::string& more = "") {
  return R"({"metadata":{"name":"high","namespace":"default","uid":"high"},"spec":{"priority":9,"containers":[)"
         R"({"resources":{"requests":{"cpu":"1"}}}])" +
         more + "}}";
}
constexpr const char* kApartFromX =
    R"(,"affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"host",)"
    R"("labelSelector":{"matchLabels":{"app":"x"}}}]}})";

TEST_CASE("what preemption would do for a pod that fits nowhere") {
  RunningService service(full_cache());
  const auto preemption = [&](const std::string& body) {
    return json_at(service.post("/explain", body).body, "preemption");
  };
  CHECK(preemption(R"({"Pod":)" + high() + "}") ==
        R"({"node":"a","victims":["default/low"],"violations":0})");
  CHECK(preemption(args_with_names({"b"}, high())) ==
        R"({"message":"0/1 nodes are available: 1 Preemption is not helpful for scheduling."})");
  CHECK(preemption(R"({"Pod":)" + high(R"(,"preemptionPolicy":"Never")") + "}") ==
        R"({"message":"not eligible due to preemptionPolicy=Never."})");
  // There is nothing to be said of a pod that fits, has a node, is asked about no node, or breaks a rule.
  service.cache().write([](State& state) { state.set_node(node("c").cpu("9").pods("9")); });
  CHECK(preemption(R"({"Pod":)" + high() + "}") == "");
  CHECK(preemption(R"({"Name":"low","NodeNames":["b"]})") == "");
  CHECK(preemption(args_with_names({}, high())) == "");
  CHECK(preemption(R"({"Pod":)" +
                   high(R"(,"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"gone"}}])") + "}") ==
        "");
}

TEST_CASE("best: a preemption that kube-scheduler does not do is said to be that") {
  const auto note = [](AnswerMode answer, const std::string& pod) {
    ExtenderOptions options;
    options.answer = answer;
    std::unique_ptr<ClusterCache> cache = full_cache();
    // There is room; only the other pod is in the way.
    cache->write([](State& state) { state.set_node(node("a").cpu("9").pods("9").label("host", "a")); });
    const RunningService service(std::move(cache), default_rule_set(), options);
    const std::string body = service.post("/explain", R"({"Pod":)" + pod + "}").body;
    CHECK(json_at(body, "preemption.node") == R"("a")");
    return json_at(body, "preemption.note");
  };
  CHECK(note(AnswerMode::kOne, high(kApartFromX)) == "");
  CHECK(note(AnswerMode::kBest, high(kApartFromX))
            .contains("kube-scheduler up to 1.37 does not preempt for this"));
}

TEST_CASE("a nomination is told, as the picture or the request has it") {
  std::unique_ptr<ClusterCache> cache = full_cache();
  cache->write([](State& state) {
    PodBuilder waits = pod("waits").cpu("1");
    waits.object().status.nominated_node_name = "a";
    state.set_pod(waits);
  });
  const RunningService service(std::move(cache));
  CHECK(json_at(service.post("/explain", R"({"Name":"waits"})").body, "nominated") == R"("a")");
  std::string given = high();
  given.insert(1, R"("status":{"nominatedNodeName":"b"},)");
  CHECK(json_at(service.post("/explain", R"({"Pod":)" + given + "}").body, "nominated") == R"("b")");
  CHECK(json_at(service.post("/explain", R"({"Pod":)" + high() + "}").body, "nominated") == "");
}

TEST_CASE("why a pod gets no nomination is told of one that waits, by the Winnow that nominates") {
  GivenServices given;
  given.says_why_not_nominated = [](std::string_view ns, std::string_view name, std::string_view uid) {
    return std::format("{}/{} {}", ns, name, uid);
  };
  std::unique_ptr<ClusterCache> cache = full_cache();
  cache->write([](State& state) { state.set_pod(pod("waits").uid("u").cpu("1")); });
  const RunningService service(std::move(cache), default_rule_set(), {}, {}, {.cluster = &given});
  const auto told = [&](const std::string& body) {
    return json_at(service.post("/explain", body).body, "notNominated");
  };
  CHECK(told(R"({"Name":"waits"})") == R"("default/waits u")");
  CHECK(told(R"({"Name":"low"})") == "");  // It runs.
  CHECK(told(R"({"Pod":)" + high() + "}") == "");
}

TEST_CASE("refusals since the last attempt") {
  ExtenderOptions options;
  options.catch_up = std::chrono::milliseconds(1);
  RunningService service(full_cache(), default_rule_set(), options);
  const auto explained = [&](const std::string& at) {
    return json_at(service.post("/explain", R"({"Pod":)" + high() + "}").body, at);
  };
  CHECK(explained("refused") == "");
  for (int times = 1; times <= 2; ++times) {
    CHECK(read_filter(service.post("/filter", args_with_names({"a"}, high())).body).fit.empty());
    CHECK(explained("refused.times") == std::to_string(times));
  }
  CHECK(explained("refused.seconds") != "");
  CHECK(explained("refused.wouldFitOn") == "");

  service.cache().write([](State& state) {
    state.remove_pod("default", "low");
    PodBuilder waits = pod("high").uid("high").cpu("1");
    state.set_pod(waits);
  });
  Recheck recheck(service.extender().refusals(), service.extender().decisions(), Recheck::kRound,
                  std::chrono::hours(1));
  const auto now = std::chrono::steady_clock::now();
  recheck.look(1, now - std::chrono::seconds(100));
  CHECK(explained("refused.wouldFitOn") == R"("a")");
  CHECK(std::stod(explained("refused.wouldFitSeconds")) >= 100);
  // The same for a pod that is only named; not for one that has got its node since.
  CHECK(json_at(service.post("/explain", R"({"Name":"high"})").body, "refused.times") == "2");
  service.cache().write([](State& state) { state.set_pod(pod("high").uid("high").cpu("1").on("a")); });
  const std::string bound = service.post("/explain", R"({"Name":"high"})").body;
  CHECK(json_at(bound, "refused") == "");
  CHECK(json_at(bound, "node") == R"("a")");
}

TEST_CASE("the rules in force, for programs") {
  const RunningService service(cache_of_size(1), default_rule_set());
  const Answer answer = service.get("/rules");
  CHECK(answer.status == 200);
  CHECK(answer.body.find('\n') == answer.body.size() - 1);
  const auto rules = read_rules_summary(answer.body);
  REQUIRE(rules);
  const RuleSet own = default_rule_set();
  CHECK(*rules == summarize({&own}));
  CHECK(service.ask("POST", "/rules", "{}").status == 405);
}

}  // namespace
}  // namespace winnow::test
