// A service behind --path-prefix: what is where, and who is asked by which path.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "extender/service/verbs/routes.h"
#include "tests/extender/service/running_server.h"

namespace winnow::test {
namespace {

ExtenderOptions behind_scheduler() {
  ExtenderOptions options;
  options.path_prefix = "/scheduler";
  options.loopback = true;
  return options;
}

bool is_probe(std::string_view path) { return path == "/livez" || path == "/readyz" || path == "/healthz"; }

TEST_CASE("each path is behind the prefix, and only probes are without it, too") {
  const RunningService service(cache_of_size(1), default_rule_set(), behind_scheduler());
  for (const Route& route : routes()) {
    CAPTURE(route.path);
    const std::string method(route.method);
    const std::string whole = "/scheduler" + std::string(route.path);
    const Answer inside = service.ask(method, whole);
    CHECK_FALSE(inside.body.contains("no such path"));
    CHECK(service.ask(method == "GET" ? "POST" : "GET", whole).status == 405);
    const Answer outside = service.ask(method, route.path);
    CHECK(outside.status == (is_probe(route.path) ? 200 : 404));
  }
}

TEST_CASE("paths beside the prefix are told where Winnow's are") {
  struct Row {
    const char* sentence;
    const char* method;
    const char* path;
    int status;
    const char* says;
  };
  const Row rows[] = {
      {"a verb without it", "POST", "/filter", 404, "there are /scheduler/filter, /scheduler/prioritize"},
      {"another prefix", "POST", "/other/filter", 404, "there are /scheduler/filter"},
      {"a longer word", "POST", "/schedulers/filter", 404, "there are /scheduler/filter"},
      {"the prefix twice", "POST", "/scheduler/scheduler/filter", 404, "there are /scheduler/filter"},
      {"an encoded one", "POST", "/sched%75ler/filter", 404, "there are /scheduler/filter"},
      {"another case", "POST", "/Scheduler/filter", 404, "there are /scheduler/filter"},
      {"the wrong method", "GET", "/scheduler/filter", 405, "/scheduler/filter takes POST only"},
      {"the prefix alone", "GET", "/scheduler", 301, "the page is at /scheduler/"},
  };
  const RunningService service(cache_of_size(1), default_rule_set(), behind_scheduler());
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    const Answer answer = service.ask(row.method, row.path);
    CHECK(answer.status == row.status);
    CHECK(answer.body.contains(row.says));
  }
  CHECK(service.get("/scheduler").head.contains("\r\nLocation: /scheduler/\r\n"));
  CHECK(service.get("/scheduler/").body.contains("<title>"));
}

TEST_CASE("the prefix opens nothing to a Host of another name") {
  const RunningService service(cache_of_size(1), default_rule_set(), behind_scheduler());
  const auto ask = [&](std::string_view path) {
    Client client = service.client();
    client.send("GET " + std::string(path) + " HTTP/1.1\r\nHost: evil.example\r\n\r\n");
    return client.receive().status;
  };
  for (const char* path : {"/scheduler/rules", "/scheduler", "/rules"}) CHECK(ask(path) == 403);
  for (const char* path : {"/scheduler/livez", "/livez"}) CHECK(ask(path) == 200);
}

TEST_CASE("a guard sees paths without the prefix, before a body and with it") {
  std::vector<std::string> seen;  // One thread asks at a time.
  http::test::Running running(http::test::describe, {}, [&](http::Server& server) {
    server.set_prefix({.prefix = "/a/b", .anywhere = {"/livez"}});
    server.set_guard([&](const http::Request& request, http::Response& response, const auto&) {
      seen.push_back((request.outside ? "outside " : "") + request.path);
      if (request.path == "/open") return http::Admission::kPass;
      response = http::line_response(401, "no");
      return http::Admission::kRefused;
    });
    server.route("POST", "/open", http::test::describe);
  });
  const auto ask = [&](const std::string& path, bool whole) {
    Client client(running.port);
    client.send("POST " + path + " HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n" + (whole ? "x" : ""));
    return client.receive().status;
  };
  CHECK(ask("/a/b/open", true) == 200);
  CHECK(ask("/a/b/shut", true) == 401);
  CHECK(ask("/a/b/shut", false) == 401);
  CHECK(ask("/shut", false) == 401);
  CHECK(ask("/livez", true) == 401);
  CHECK(seen == std::vector<std::string>{"/open", "/shut", "/shut", "outside /shut", "/livez"});
}

}  // namespace
}  // namespace winnow::test
