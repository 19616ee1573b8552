// Captured bodies with bytes changed, as a fuzzer would: nothing crashes, and what is accepted is answered
// well.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "tests/extender/service/answers.h"
#include "tests/extender/service/fake_rules.h"
#include "tests/extender/service/running_server.h"
#include "tests/part.h"

namespace winnow::test {
namespace {

/// Pieces that matter to a reader of JSON, and names of ours.
const std::vector<std::string> kPieces = {"{",
                                          "}",
                                          "[",
                                          "]",
                                          ",",
                                          ":",
                                          "\"",
                                          "\\",
                                          "\\u00",
                                          "null",
                                          "\"Pod\"",
                                          "\"Nodes\"",
                                          "\"NodeNames\"",
                                          "\"items\"",
                                          "\"Name\":\"x\"",
                                          "\"nodenames\":null",
                                          "1e999",
                                          "-",
                                          "\xff",
                                          "\xe2\x82",
                                          "node-00001",
                                          "\"node-00001\"",
                                          "{}",
                                          "[]",
                                          ",,",
                                          "\"Pod\":{}",
                                          ",\"NodeNames\":[\"a\",\"b\",\"c\"]",
                                          ",\"Nodes\":{\"items\":[{\"metadata\":{\"name\":\"q\"}}]}",
                                          ",\"Pod\":null",
                                          std::string(1, '\0')};

std::string mutated(std::string text, std::mt19937& random) {
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  for (std::size_t changes = 1 + below(3); changes > 0 && !text.empty(); --changes) {
    const std::size_t at = below(text.size());
    // The outer keys are at the ends: half the changes go there.
    const std::size_t near_end = text.size() - 1 - std::min(text.size() - 1, below(200));
    const std::size_t place = below(2) ? at : near_end;
    switch (below(5)) {
      case 0:
        text[place] = static_cast<char>(below(256));
        break;
      case 1:
        text.erase(place, 1 + below(8));
        break;
      case 2:
        text.insert(place, kPieces[below(kPieces.size())]);
        break;
      case 3:
        text.insert(place, text.substr(at, 1 + below(60)));
        break;
      default:
        text[place] = static_cast<char>(text[place] ^ (1 << below(8)));
        break;
    }
  }
  return text;
}

TEST_CASE("20,000 mutations of captured bodies") {
  auto cache = cache_of({node("node-00000"), node("node-00001"), node("node-00002")});
  RuleSet rules = default_rule_set();
  rules.predicates.push_back(never_on({"node-00002"}));
  Workers workers(0);
  const std::vector<RuleSet> sets{rules};
  const Engines engines(sets, workers);
  Metrics metrics("test", "test");
  ExtenderOptions options;
  options.seed = 1;
  Extender complete(active_config_of(*cache, engines, metrics), metrics, options);
  options.answer = AnswerMode::kBest;
  Extender best(active_config_of(*cache, engines, metrics), metrics, options);

  const std::string plain =
      R"({"Pod":{"metadata":{"name":"p"}},"Nodes":null,"NodeNames":["node-00000","node-00001","x","node-00002"]})";
  const std::string bodies[] = {plain, plain, capture("names/filter-2.request.json"),
                                capture("names/filter-1.request.json"),
                                capture("full/filter-2.request.json")};
  std::mt19937 random(20260131);
  int accepted = 0, refused = 0;
  for (int i = 0; i < part_of(20'000); ++i) {
    // The large ones seldom.
    const std::string& body = bodies[i % 16 == 0 ? 4 : i % 16 == 1 ? 3 : static_cast<std::size_t>(i) % 3];
    const std::string text = mutated(body, random);
    CAPTURE(i);
    const auto call = [&](const char* path) {
      http::Request request{.method = "POST", .path = path, .content_type = "application/json", .body = text};
      http::Response response;
      (i % 2 ? complete : best).handle(request, response);
      return response;
    };
    const http::Response filter = call("/filter");
    const http::Response prioritize = call("/prioritize");
    const http::Response explain = call("/explain");
    if (filter.status == 200) {
      ++accepted;
      REQUIRE(read_filter(filter.body).valid);
      // A preferred term that is no selector is an error of scoring.
      REQUIRE((prioritize.status == 200 || prioritize.status == 400));
      if (prioritize.status == 200) REQUIRE(read_scores(prioritize.body).has_value());
    } else {
      ++refused;
      REQUIRE(filter.status == 400);
      REQUIRE(filter.body.starts_with("bad request body: "));
      REQUIRE(filter.body.find('\n') == filter.body.size() - 1);
      REQUIRE(prioritize.status == 400);
    }
    if (explain.status == 200) REQUIRE(is_json(explain.body));
  }
  CHECK(accepted > 500 / kPart);
  CHECK(refused > 500 / kPart);
}

TEST_CASE("20,000 mutations of short bodies, where the outer keys are") {
  auto cache = cache_of({node("a"), node("b")});
  Workers workers(0);
  const std::vector<RuleSet> rules(1);
  const Engines engines(rules, workers);
  Metrics metrics("test", "test");
  Extender extender(active_config_of(*cache, engines, metrics), metrics, {});
  const std::string bodies[] = {
      R"({"Pod":{},"Nodes":null,"NodeNames":["a","c"]})",
      R"({"NodeNames":["a"],"NodeNames":null,"Nodes":{"items":[{"metadata":{"name":"a"}}]},"Pod":{}})",
      R"({"Nodes":{"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"c"}}]},"Pod":{},"NodeNames":null})",
      R"({"Namespace":"default","Name":"x","NodeNames":["b","a"]})",
  };
  std::mt19937 random(7);
  for (int i = 0; i < part_of(20'000); ++i) {
    const std::string text = mutated(mutated(bodies[i % 4], random), random);
    CAPTURE(text);
    for (const char* path : {"/filter", "/prioritize", "/explain"}) {
      http::Request request{.method = "POST", .path = path, .content_type = "application/json", .body = text};
      http::Response response;
      extender.handle(request, response);
      REQUIRE((response.status == 200 || response.status == 400 || response.status == 404));
      if (response.status == 200) REQUIRE(is_json(response.body));
    }
  }
}

}  // namespace
}  // namespace winnow::test
