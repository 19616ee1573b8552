// The pages /statusz and /flagz.
#include <doctest/doctest.h>

#include <algorithm>
#include <regex>

#include "extender/service/verbs/routes.h"
#include "extender/version.h"
#include "tests/extender/service/running_server.h"

namespace winnow::test {
namespace {

TEST_CASE("/statusz says since when it runs, what was built, and what can be read") {
  const RunningService service(cache_of_size(1));
  const Answer answer = service.get("/statusz");
  CHECK(answer.status == 200);
  CHECK(answer.head.contains("Content-Type: text/plain; charset=utf-8"));
  CHECK(answer.body.starts_with(
      "\nwinnow statusz\nWarning: This endpoint is not meant to be machine parseable"));
  const std::regex started(
      R"(\nStarted: (Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ 0-9]\d \d\d:\d\d:\d\d UTC \d{4}\n)");
  CHECK(std::regex_search(answer.body, started));
  CHECK(std::regex_search(answer.body, std::regex(R"(\nUp: 0 hr \d\d min \d\d sec\n)")));
  CHECK(answer.body.contains("\nBinary version: " + build_info().version + " ("));
  const std::string paths = answer.body.substr(answer.body.find("\nPaths: ") + 8);
  CHECK(
      paths ==
      "/ /debug/pprof/profile /decisions /flagz /healthz /livez /metrics /readyz /rules /statusz /version\n");
}

TEST_CASE("/flagz has a line for each flag, by the alphabet") {
  ExtenderOptions options;
  options.flags = {{"port", "10290"}, {"answer", "best"}, {"config", ""}};
  const RunningService service(cache_of_size(1), default_rule_set(), options);
  const Answer answer = service.get("/flagz");
  CHECK(answer.status == 200);
  CHECK(answer.head.contains("Content-Type: text/plain; charset=utf-8"));
  CHECK(answer.body.starts_with("\nwinnow flagz\nWarning: "));
  CHECK(answer.body.ends_with("purposes only.\nanswer=best\nconfig=\nport=10290\n"));
}

TEST_CASE("neither page is where anybody may ask, and a token opens both") {
  for (const Route& route : routes()) {
    if (route.path != "/statusz" && route.path != "/flagz") continue;
    CHECK(route.port == Port::kMain);
    CHECK(route.by_token == ByToken::kOpen);
  }
}

}  // namespace
}  // namespace winnow::test
