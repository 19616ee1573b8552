#include "extender/service/verbs/routes.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/extender/service/running_server.h"

namespace winnow::test {
namespace {

TEST_CASE("each path has one row") {
  for (const Route& route : routes()) {
    CAPTURE(route.path);
    CHECK(std::ranges::count(routes(), route.path, &Route::path) == 1);
  }
  CHECK(std::ranges::contains(routes(), "/filter", &Route::path));
}

TEST_CASE("docs/operate.md describes each path") {
  const std::string document = read_file(std::string(WINNOW_ROOT) + "/docs/operate.md");
  for (const Route& route : routes()) {
    CAPTURE(route.path);
    const std::string path(route.path);
    CHECK((document.contains("`" + path + "`") ||
           document.contains(std::string(route.method) + " " + path + "`")));
  }
}

TEST_CASE("each label has its series before any call, and series of nodes if it computes") {
  const RunningService service(cache_of_size(1));
  for (const Route& route : routes()) {
    CAPTURE(route.path);
    const std::string label(route.label);
    // The scrape that asks is counted behind its own page.
    CHECK(service.metric(R"(winnow_requests_total{result="error",verb=")" + label + "\"}") == 0);
    const bool computes = route.load == Load::kComputes;
    CHECK(service.metric(R"(winnow_request_nodes_count{verb=")" + label + "\"}") == (computes ? 0 : -1));
  }
}

TEST_CASE("each path is answered by the method of its row alone") {
  const RunningService service(cache_of_size(1));
  for (const Route& route : routes()) {
    CAPTURE(route.path);
    const bool gets = route.method == "GET";
    CHECK(service.ask(gets ? "POST" : "GET", route.path).status == 405);
    CHECK(service.ask(route.method, route.path).status != 405);
  }
}

}  // namespace
}  // namespace winnow::test
