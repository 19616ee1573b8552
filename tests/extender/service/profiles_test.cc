// Several profiles behind one service: each pod is answered by its own.
#include <doctest/doctest.h>

#include "cluster/text/characters.h"
#include "tests/extender/service/answers.h"
#include "tests/extender/service/fake_rules.h"
#include "tests/extender/service/running_server.h"

namespace winnow::test {
namespace {

RuleSet profile(std::string name, std::vector<ConfiguredPredicate> predicates) {
  RuleSet rules{.generation = Generation::kToday, .scheduler_name = std::move(name)};
  rules.predicates = std::move(predicates);
  rules.priorities = {by_digit()};
  return rules;
}

std::string pod_for(const std::string& scheduler) {
  return R"({"metadata":{"name":"web","namespace":"default","uid":"u1"},"spec":{"schedulerName":")" +
         scheduler + R"("}})";
}

}  // namespace

TEST_CASE("a pod is answered by its profile") {
  const RunningService service(cache_of_size(3),
                               std::vector{profile("default-scheduler", {full_on({"n0"})}),
                                           profile("batch", {never_on({"n1"}), full_on({"n2"}, "Other")})});
  const auto fit = [&](const std::string& pod) {
    return read_filter(service.post("/filter", args_with_names({"n0", "n1", "n2"}, pod)).body).fit;
  };
  using Names = std::vector<std::string>;
  CHECK(fit("") == Names{"n1", "n2"});  // No schedulerName is the default one.
  CHECK(fit(pod_for("default-scheduler")) == Names{"n1", "n2"});
  CHECK(fit(pod_for("batch")) == Names{"n0"});
  CHECK(service.metric(R"(winnow_rejections_total{rule="Full"})") == 2);
  CHECK(service.metric(R"(winnow_rejections_total{rule="Never"})") == 1);
  CHECK(service.metric(R"(winnow_rejections_total{rule="Other"})") == 1);
}

TEST_CASE("a pod that no profile is for is told so on every path") {
  const RunningService service(cache_of_size(1), std::vector{profile("batch", {})});
  const std::string body = args_with_names({"n0"}, pod_for("other"));
  const std::string text = "profile not found for scheduler name \"other\"";
  const Answer filter = service.post("/filter", body);
  CHECK(filter.status == 200);
  CHECK(read_filter(filter.body).error == text);
  const Answer prioritize = service.post("/prioritize", body);
  CHECK(prioritize.status == 400);
  CHECK(prioritize.body == text + "\n");
  const Answer explain = service.post("/explain", body);
  CHECK(explain.status == 200);
  CHECK(
      explain.body ==
      R"({"pod":"default/web","feasible":0,"selected":null,"error":"profile not found for scheduler name \"other\"","warnings":["spec.containers: Required value"],"remarks":["another scheduler decides this pod: these rules are for others"],"nodes":[]})"
      "\n");
}

/// Texts of a caller's that steer a display, end a line, or are long, and how the text begins when it is
/// told.
struct Hostile {
  const char* sentence;
  std::string text;  ///< As it is inside a JSON string.
  std::string told;
};

std::vector<Hostile> hostile_texts() {
  return {{"an escape sequence", R"(a\u001b[2Jb)", R"("a\x1b[2Jb")"},
          {"NUL and the end of a line", R"(a\u0000\r\nb)", R"("a\x00\r\nb")"},
          {"DEL", "a\x7f", R"("a\x7f")"},
          {"C1 controls", "\u0080\u009b\u009f", R"("\u0080\u009b\u009f")"},
          {"marks of direction", "a\u202eb\u2066c\u061c", R"("a\u202eb\u2066c\u061c")"},
          {"line separators", "\u2028\u2029", R"("\u2028\u2029")"},
          {"what is not seen", "a\u200bb\ufeff\U000e0041", R"("a\u200bb\ufeff\U000e0041")"},
          {"seven megabytes", std::string(7'000'000, 'x'), '"' + std::string(317, 'x') + "\"…"}};
}

/// Whether nothing in the text steers a display, and it is short.
bool is_tame(const std::string& text) { return printable(text) == text && text.size() < 4000; }

TEST_CASE("a hostile schedulerName is quoted and cut wherever it is told") {
  const RunningService service(cache_of_size(1), std::vector{profile("batch", {})});
  for (const Hostile& row : hostile_texts()) {
    CAPTURE(row.sentence);
    const std::string text = "profile not found for scheduler name " + row.told;
    const std::string body = args_with_names({"n0"}, pod_for(row.text));
    CHECK(service.post("/prioritize", body).body == text + "\n");
    CHECK(read_filter(service.post("/filter", body).body).error == text);
    const std::string preempt = R"({"Pod":)" + pod_for(row.text) +
                                R"(,"NodeNameToMetaVictims":{"n0":{"Pods":[],"NumPDBViolations":0}}})";
    CHECK(service.post("/preempt", preempt).body == text + "\n");
    std::string explained = service.post("/explain", body).body;
    explained.pop_back();
    CHECK(json_at(explained, "error").size() < 4000);
    CHECK(printable(explained) == explained);
  }
}

TEST_CASE("other hostile texts of a pod are told in one tame line") {
  const RunningService service(cache_of_size(1));
  const auto pods = [](const std::string& text) {
    const std::string start = R"({"metadata":{"name":"web","namespace":"default","uid":"u"},"spec":)";
    const std::string term = R"({"key":"zone","operator":")" + text + R"(","values":["a"]})";
    return std::vector<std::string>{
        start + R"({"priority":")" + text + R"("}})",
        start +
            R"({"affinity":{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":)"
            R"([{"weight":1,"preference":{"matchExpressions":[)" +
            term + "]}}]}}}}",
        start +
            R"({"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
            R"({"nodeSelectorTerms":[{"matchExpressions":[)" +
            term + "]}]}}}}}",
        start +
            R"({"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
            R"([{"topologyKey":"zone","labelSelector":{"matchExpressions":[)" +
            term + "]}}]}}}}",
        start + R"({"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":")" + text + R"("}}]}})",
        start + R"({"containers":[{"resources":{"requests":{"cpu":")" + text + R"("}}}]}})",
        start + R"({"containers":[{"resources":{"requests":{")" + text + R"(":"x"}}}]}})"};
  };
  for (const Hostile& row : hostile_texts())
    for (const std::string& pod : pods(row.text)) {
      CAPTURE(row.sentence);
      const std::string body = args_with_names({"n0"}, pod);
      for (const char* const path : {"/filter", "/prioritize", "/explain"}) {
        CAPTURE(path);
        const Answer answer = service.post(path, body);
        std::string text = answer.body;
        if (answer.status != 200) {
          REQUIRE(text.ends_with('\n'));
          text.pop_back();
          CHECK(is_tame(text));
        } else if (path == std::string("/filter")) {
          const FilterResult result = read_filter(text);
          CHECK(is_tame(result.error));
          for (const auto& [name, reason] : result.failed) CHECK(is_tame(reason));
          for (const auto& [name, reason] : result.unresolvable) CHECK(is_tame(reason));
        }
      }
    }
}

}  // namespace winnow::test
