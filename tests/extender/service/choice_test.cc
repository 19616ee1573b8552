// Which node is chosen, and how the answer says so: --score-scale, --answer, --seed.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "tests/extender/service/answers.h"
#include "tests/extender/service/fake_rules.h"
#include "tests/extender/service/running_server.h"

namespace winnow::test {
namespace {

using Names = std::vector<std::string>;

RuleSet scored_by_digit() {
  RuleSet rules;
  rules.predicates = {full_on({"n8", "n9"})};
  rules.priorities = {by_digit()};
  return rules;
}
RuleSet all_equal() {
  RuleSet rules;
  rules.predicates = {full_on({"n0"})};
  return rules;
}
ExtenderOptions options(AnswerMode answer, std::optional<std::uint64_t> seed = 1,
                        ScoreScale scale = ScoreScale::kBest) {
  ExtenderOptions made;
  made.answer = answer;
  made.scale = scale;
  made.seed = seed;
  return made;
}
std::string pod_json(const std::string& uid) {
  return R"({"metadata":{"name":"web","namespace":"default","uid":")" + uid + R"("}})";
}
/// The one node that filter answers.
std::string best(const RunningService& service, const Names& names, const std::string& uid) {
  const FilterResult result =
      read_filter(service.post("/filter", args_with_names(names, pod_json(uid))).body);
  CHECK(result.valid);
  CHECK(result.error == "");
  return result.fit.size() == 1 ? result.fit[0] : "(" + std::to_string(result.fit.size()) + " nodes)";
}
/// The one node that prioritize gives 10.
std::string one(const RunningService& service, const Names& names, const std::string& uid) {
  const auto scores =
      read_scores(service.post("/prioritize", args_with_names(names, pod_json(uid))).body).value();
  CHECK(scores.size() == names.size());
  std::string chosen;
  for (const auto& [host, score] : scores) {
    CHECK((score == 0 || score == 10));
    if (score == 10) chosen += host;
  }
  return chosen;
}

TEST_CASE("scales") {
  struct Row {
    const char* sentence;
    ScoreScale scale;
    std::int64_t weight;
    HostScores scores;
  };
  const Row rows[] = {
      {"best: floor(10 × (total - 1) / (8 - 1))",
       ScoreScale::kBest,
       1,
       {{"n1", 0}, {"n2", 1}, {"n5", 5}, {"n7", 8}, {"n8", 10}}},
      {"best, weighted: the weight changes nothing",
       ScoreScale::kBest,
       922'337'203'685,
       {{"n1", 0}, {"n2", 1}, {"n5", 5}, {"n7", 8}, {"n8", 10}}},
      {"mean: the score itself",
       ScoreScale::kMean,
       3,
       {{"n1", 1}, {"n2", 2}, {"n5", 5}, {"n7", 7}, {"n8", 8}}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    RuleSet rules;
    rules.priorities = {by_digit(row.weight)};
    const RunningService service(cache_of_size(10), rules, options(AnswerMode::kComplete, 1, row.scale));
    CHECK(read_scores(service.post("/prioritize", args_with_names({"n1", "n2", "n5", "n7", "n8"})).body)
              .value() == row.scores);
  }
}

TEST_CASE("best: filter answers the one best node that fits") {
  const RunningService service(cache_of_size(10), scored_by_digit(), options(AnswerMode::kBest));
  CHECK(best(service, {"n1", "n7", "n9", "n3"}, "u1") == "n7");
  CHECK(best(service, {"n4", "x"}, "u2") == "n4");
  const std::string body = service.post("/filter", args_with_names({"n8", "n9", "x"}, pod_json("u3"))).body;
  const FilterResult none = read_filter(body);
  CHECK(none.valid);
  CHECK(none.fit.empty());
  CHECK(none.failed.size() == 3);
  const std::string full =
      R"({"Pod":{"metadata":{"uid":"u4"}},"Nodes":{"items":[{"metadata":{"name":"n3"}},{"metadata":{"name":"new6"}}]}})";
  CHECK(
      service.post("/filter", full).body ==
      R"({"Nodes":{"metadata":{},"items":[{"metadata":{"name":"new6"}}]},"NodeNames":null,"FailedNodes":{},"FailedAndUnresolvableNodes":{},"Error":""})");
}

TEST_CASE("best: a node that was answered and not followed steps back behind its equals, then behind all") {
  RuleSet rules = scored_by_digit();
  const RunningService service(cache_of({node("a5"), node("b5"), node("c3")}), rules,
                               options(AnswerMode::kBest));
  const Names asked = {"a5", "b5", "c3"};
  const std::string first = best(service, asked, "u");
  const std::string second = best(service, asked, "u");
  CHECK(std::set<std::string>{first, second} == std::set<std::string>{"a5", "b5"});
  // Both have stepped back behind their equals, and are still better than the third.
  const std::string third = best(service, asked, "u");
  const std::string fourth = best(service, asked, "u");
  CHECK(std::set<std::string>{third, fourth} == std::set<std::string>{"a5", "b5"});
  // Both twice: behind all.
  CHECK(best(service, asked, "u") == "c3");
  CHECK(best(service, asked, "u") == "c3");
  // Another pod is not concerned.
  CHECK(best(service, asked, "other") != "c3");
  CHECK(best(service, {"c3"}, "third") == "c3");
}

TEST_CASE("best: pods without a UID are told apart by name") {
  RuleSet rules = scored_by_digit();
  const RunningService service(cache_of({node("a5"), node("c3")}), rules, options(AnswerMode::kBest));
  for (int i = 0; i < 5; ++i) {
    const std::string pod = R"({"metadata":{"name":"web-)" + std::to_string(i) + R"("}})";
    CHECK(read_filter(service.post("/filter", args_with_names({"a5", "c3"}, pod)).body).fit == Names{"a5"});
  }
}

TEST_CASE("best: an error of scoring is an error of the call, unless there is no choice") {
  RuleSet rules;
  rules.priorities = {broken_priority()};
  const RunningService service(cache_of_size(3), rules, options(AnswerMode::kBest));
  const FilterResult result = read_filter(service.post("/filter", args_with_names({"n0", "n1"})).body);
  CHECK(result.valid);
  CHECK(result.error == "this priority is broken");
  CHECK(best(service, {"n1"}, "u9") == "n1");
}

TEST_CASE("one: filter answers every node, prioritize prefers one alone") {
  const RunningService service(cache_of_size(10), scored_by_digit(), options(AnswerMode::kOne));
  CHECK(read_filter(service.post("/filter", args_with_names({"n1", "n7", "n9"})).body).fit ==
        Names{"n1", "n7"});
  CHECK(one(service, {"n1", "n7", "n3"}, "u1") == "n7");
  CHECK(one(service, {"x9", "n2", "n1"}, "u2") == "n2");
  CHECK(one(service, {"x9"}, "u3") == "");
  CHECK(one(service, {}, "u4") == "");
}

TEST_CASE("a seed makes the draw repeatable, in whatever order the nodes are asked about") {
  const Names asked = {"n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8", "n9"};
  Names turned(asked.rbegin(), asked.rend());
  std::set<std::string> chosen;
  const RunningService a(cache_of_size(10), all_equal(), options(AnswerMode::kBest, 7));
  const RunningService b(cache_of_size(10), all_equal(), options(AnswerMode::kBest, 7));
  const RunningService c(cache_of_size(10), all_equal(), options(AnswerMode::kOne, 7));
  const RunningService other(cache_of_size(10), all_equal(), options(AnswerMode::kBest, 8));
  int differ = 0;
  for (int i = 0; i < 60; ++i) {
    const std::string uid = "pod-" + std::to_string(i);
    const std::string pick = best(a, asked, uid);
    CHECK(best(b, turned, uid) == pick);
    CHECK(one(c, Names(asked.begin() + 1, asked.end()), uid) == pick);
    differ += best(other, asked, uid) != pick;
    chosen.insert(pick);
  }
  CHECK(chosen.size() == 9);  // Not n0, which does not fit.
  CHECK(differ > 30);
}

TEST_CASE("without a seed the draw is still uniform over pods") {
  const RunningService service(cache_of_size(5), all_equal(), options(AnswerMode::kBest, std::nullopt));
  std::map<std::string, int> times;
  for (int i = 0; i < 400; ++i) ++times[best(service, {"n1", "n2", "n3", "n4"}, "pod-" + std::to_string(i))];
  CHECK(times.size() == 4);
  for (const auto& [name, count] : times) CHECK(count > 50);
}

TEST_CASE("explain selects what the answer picks, given a seed") {
  const RunningService service(cache_of_size(10), all_equal(), options(AnswerMode::kBest, 7));
  const Names asked = {"n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8", "n9"};
  for (int i = 0; i < 20; ++i) {
    const std::string uid = "pod-" + std::to_string(i);
    const std::string selected =
        json_at(service.post("/explain", args_with_names(asked, pod_json(uid))).body, "selected");
    CHECK(selected == '"' + best(service, asked, uid) + '"');
  }
}

TEST_CASE("what is drawn among the best does not depend on the totals of the others") {
  RuleSet rules;
  rules.priorities = {by_digit()};
  std::vector<Node> nodes;
  const Names asked = {"a1", "b2", "c4", "d9", "e3", "f9", "g9", "h9"};
  for (const std::string& name : asked) nodes.push_back(node(name).cpu("1").pods("10"));
  const RunningService service(cache_of(nodes), rules, options(AnswerMode::kBest, 7));
  std::set<std::string> drawn;
  for (int i = 0; i < 40; ++i) {
    const std::string uid = "pod-" + std::to_string(i);
    const std::string selected =
        json_at(service.post("/explain", args_with_names(asked, pod_json(uid))).body, "selected");
    CHECK(selected == '"' + best(service, asked, uid) + '"');
    drawn.insert(selected);
  }
  CHECK(drawn == std::set<std::string>{R"("d9")", R"("f9")", R"("g9")", R"("h9")"});
}

TEST_CASE("without a seed explain selects the first of equals by name") {
  const RunningService service(cache_of_size(10), all_equal(), options(AnswerMode::kBest, std::nullopt));
  for (int i = 0; i < 20; ++i)
    CHECK(json_at(
              service
                  .post("/explain", args_with_names({"n5", "n2", "n7"}, pod_json("pod-" + std::to_string(i))))
                  .body,
              "selected") == R"("n2")");
}

}  // namespace
}  // namespace winnow::test
