// /explain: its three forms, and that it says what filter and prioritize answer.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/extender/service/answers.h"
#include "tests/extender/service/fake_rules.h"
#include "tests/extender/service/running_server.h"

namespace winnow::test {
namespace {

using Names = std::vector<std::string>;

std::unique_ptr<Picture> small_picture() {
  return picture_of(
      {node("b").cpu("2").pods("10"), node("a").cpu("1").pods("10"), node("c").cpu("4").pods("10")},
      {pod("waits").cpu("1500m"), pod("runs").cpu("3").on("c"), pod("web").in("shop").cpu("1")});
}
Names names_in(const std::string& body) {
  Names names;
  for (std::size_t i = 0; i < json_size(body, "nodes"); ++i)
    names.push_back(json_at(body, "nodes." + std::to_string(i) + ".name"));
  return names;
}

TEST_CASE("the forms of the question") {
  const RunningService service(small_picture());
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
    const RunningService service(sample_picture(), default_rule_set(), options);
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
  const RunningService service(picture_of_size(4), rules);
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
  const RunningService all(picture_of_size(4), rules);
  CHECK(json_at(all.post("/explain", args_with_names({"n0", "n1"})).body, "error") == R"("100% broken")");
}

TEST_CASE("upstream scores only where there is a choice") {
  RuleSet rules;
  rules.predicates = {full_on({"n1"})};
  rules.priorities = {broken_priority()};
  const RunningService service(picture_of_size(3), rules);
  const std::string one = service.post("/explain", args_with_names({"n0", "n1"})).body;
  CHECK(json_at(one, "error") == "");
  CHECK(json_at(one, "feasible") == "1");
  CHECK(json_at(one, "selected") == R"("n0")");
  const std::string two = service.post("/explain", args_with_names({"n0", "n2"})).body;
  CHECK(json_at(two, "error") == R"("this priority is broken")");
  CHECK(json_at(two, "selected") == "null");
}

}  // namespace
}  // namespace winnow::test
