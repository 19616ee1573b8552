// Several profiles behind one service: each pod is answered by its own.
#include <doctest/doctest.h>

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
  const RunningService service(picture_of_size(3),
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
  const RunningService service(picture_of_size(1), std::vector{profile("batch", {})});
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
      R"({"pod":"default/web","feasible":0,"selected":null,"error":"profile not found for scheduler name \"other\"","warnings":["spec.containers: Required value"],"nodes":[]})"
      "\n");
}

}  // namespace winnow::test
