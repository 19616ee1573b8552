// What is answered where only health and metrics are served: beyond loopback, to anybody.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "extender/service/verbs/routes.h"
#include "tests/extender/service/running_server.h"

namespace winnow::test::health_test {
namespace {

/// The paths of one kind, from the table.
std::vector<std::string> paths_on(Port port) {
  std::vector<std::string> paths;
  for (const Route& route : routes())
    if (route.port == port) paths.emplace_back(route.path);
  return paths;
}

/// A service, and a listener of it for health and metrics alone.
struct Bed {
  explicit Bed(ExtenderOptions options = {}, ExtenderServices services = {})
      : service(cache_of_size(2), default_rule_set(), std::move(options), {}, std::move(services)) {}

  RunningService service;
  http::test::Running health{
      [this](http::Request& request, http::Response& response) {
        service.extender().handle(request, response, Listener::kHealth);
      },
      {},
      [this](http::Server& server) { service.extender().add_routes(server, Listener::kHealth); }};

  Answer ask(std::string_view method, std::string_view path, std::string_view body = "") const {
    Client client(health.port);
    client.send(request_text(method, path, body));
    return client.receive(method == "HEAD");
  }
};

TEST_SUITE("health and metrics alone") {
  TEST_CASE("probes, the version and metrics are answered as everywhere") {
    const Bed bed;
    std::vector<std::string> paths = paths_on(Port::kBoth);
    CHECK(paths == std::vector<std::string>{"/livez", "/readyz", "/healthz", "/version", "/metrics"});
    paths.emplace_back("/metrics?name=x");
    for (const std::string& path : paths) {
      CAPTURE(path);
      const Answer answer = bed.ask("GET", path);
      CHECK(answer.status == 200);
      CHECK_FALSE(answer.body.empty());
      const Answer head = bed.ask("HEAD", path);
      CHECK(head.status == 200);
      CHECK(head.body.empty());
    }
    CHECK(bed.ask("GET", "/livez").body == "ok\n");
    CHECK(bed.ask("GET", "/version").body == bed.service.get("/version").body);
    CHECK(bed.ask("GET", "/metrics").body.contains("\nwinnow_state_nodes 2\n"));
  }

  TEST_CASE("on either listener no call that takes long holds them up") {
    std::atomic<int> inside = 0;
    std::atomic<bool> go_on = false;
    GivenServices given;
    given.binds = [&](const live::Binding&, std::chrono::steady_clock::time_point) {
      ++inside;
      while (!go_on) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      return live::BindResult{live::BindOutcome::kBound, ""};
    };
    const RunningService service(cache_of_size(1), default_rule_set(), {.binds = true}, {},
                                 {.cluster = &given});
    const std::string binding = R"({"PodName":"p","PodNamespace":"default","PodUID":"u","Node":"n0"})";
    std::vector<Client> slow;
    for (int i = 0; i < 3; ++i) {
      slow.push_back(service.client());
      slow.back().send(request_text("POST", "/bind", binding));
    }
    REQUIRE(http::test::eventually([&] { return inside == 2; }));  // All slots.
    for (const std::string& path : paths_on(Port::kBoth)) CHECK(service.get(path).status == 200);
    CHECK(inside == 2);
    go_on = true;
    for (Client& client : slow) CHECK(client.receive().status == 200);
  }

  TEST_CASE("whatever kube-scheduler calls is not there, by any method, and does nothing") {
    bool bound = false;
    GivenServices given;
    given.binds = [&](const live::Binding&, std::chrono::steady_clock::time_point) {
      bound = true;
      return live::BindResult{live::BindOutcome::kBound, ""};
    };
    Bed bed({.binds = true}, {.cluster = &given});
    const std::string question = args_with_names({"n0", "n1"});
    const std::string binding = R"({"PodName":"p","PodNamespace":"default","PodUID":"u","Node":"n0"})";
    const std::string says = "no such path; there are /livez, /readyz, /healthz, /version, /metrics\n";
    const std::vector<std::string> hidden = paths_on(Port::kMain);
    CHECK(std::ranges::contains(hidden, "/bind"));
    for (const std::string& path : hidden)
      for (const char* method : {"POST", "GET", "HEAD", "PUT", "DELETE"}) {
        CAPTURE(path);
        CAPTURE(method);
        const Answer answer = bed.ask(method, path, path == "/bind" ? binding : question);
        CHECK(answer.status == 404);
        if (std::string_view(method) != "HEAD") CHECK(answer.body == says);
      }
    CHECK_FALSE(bound);
    CHECK(bed.service.metric(R"(winnow_requests_total{result="ok",verb="filter"})") == 0);
    CHECK(bed.service.post("/filter", question).status == 200);  // The other listener has it.
    CHECK(bed.service.post("/bind", binding).status == 200);
    CHECK(bound);
  }

  TEST_CASE("no other path, and nothing but reading") {
    const Bed bed;
    for (const char* path : {"/", "/metrics/", "/METRICS", "/debug/pprof", "/filter/../metrics"}) {
      CAPTURE(path);
      CHECK(bed.ask("GET", path).status == 404);
    }
    for (const char* method : {"POST", "PUT", "DELETE", "PATCH", "OPTIONS"}) {
      CAPTURE(method);
      const Answer answer = bed.ask(method, "/metrics");
      CHECK(answer.status == 405);
      CHECK(answer.head.contains("Allow: GET, HEAD\r\n"));
    }
  }

  TEST_CASE("it is ready when the service is") {
    std::string why = "waiting for nodes";
    std::string missing;
    GivenServices given;
    given.says_not_ready = [&] { return why; };
    given.says_missing_rights = [&] { return missing; };
    const Bed bed({}, {.cluster = &given});
    const Answer answer = bed.ask("GET", "/readyz");
    CHECK(answer.status == 503);
    CHECK(answer.body == "not ready: waiting for nodes\n");
    CHECK(bed.ask("HEAD", "/readyz").status == 503);
    CHECK(bed.ask("GET", "/livez").status == 200);
    why = "";
    CHECK(bed.ask("GET", "/readyz").body == "ok\n");
    missing = "deviceclasses are not read";
    CHECK(bed.ask("GET", "/readyz").status == 200);
    CHECK(bed.ask("GET", "/readyz").body == "ok\ndeviceclasses are not read\n");
  }

  TEST_CASE("in detail it has a line for each thing that is on, off or degraded") {
    std::string why;
    GivenServices given;
    given.says_not_ready = [&] { return why; };
    given.items = {{.name = "cache", .state = ReadyItem::State::kOn},
                   {.name = "node-metrics x", .state = ReadyItem::State::kOn, .why = "3 of 3 nodes"},
                   {.name = "nominate"},
                   {.name = "bind", .state = ReadyItem::State::kDegraded, .why = "403 Forbidden"}};
    const Bed bed({}, {.cluster = &given});
    const std::string lines =
        "[+]cache on\n[+]node-metrics x on: 3 of 3 nodes\n[ ]nominate off\n[-]bind degraded: 403 Forbidden\n";
    for (const char* path : {"/readyz?verbose", "/readyz?verbose=true", "/readyz?verbose&x=y"}) {
      CAPTURE(path);
      const Answer answer = bed.ask("GET", path);
      CHECK(answer.status == 200);
      CHECK(answer.body == lines + "readyz check passed\n");
    }
    CHECK(bed.ask("GET", "/readyz?verbosely").body == "ok\n");
    why = "waiting for nodes";
    CHECK(bed.ask("GET", "/readyz?verbose").status == 503);
    CHECK(bed.ask("GET", "/readyz?verbose").body == lines + "not ready: waiting for nodes\n");
  }
}

}  // namespace
}  // namespace winnow::test::health_test
