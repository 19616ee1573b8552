// Many clients at once, while the writer takes in what they ask for first. Meant for the thread sanitizer
// too.
#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "tests/extender/service/answers.h"
#include "tests/extender/service/running_server.h"

namespace winnow::test {
namespace {

TEST_CASE("eight clients, new selectors, and events all the while") {
  std::vector<Node> nodes;
  std::vector<Pod> pods;
  std::vector<std::string> names;
  for (int i = 0; i < 20; ++i) {
    names.push_back("n" + std::to_string(i));
    nodes.push_back(
        node(names.back()).cpu("8").memory("32Gi").pods("110").label("zone", std::to_string(i % 3)));
    for (int j = 0; j < 3; ++j)
      pods.push_back(pod("p" + std::to_string(i) + '-' + std::to_string(j))
                         .label("app", std::to_string(j))
                         .cpu("1")
                         .on(names.back()));
  }
  names.emplace_back("unknown");
  auto cache = cache_of(nodes, pods);
  cache->write([&](State& state) {
    // Many services: each pod's selectors are seen for the first time when it is asked about.
    for (int i = 0; i < 200; ++i)
      state.workloads.set(WorkloadKind::kService, meta("default", "s" + std::to_string(i)),
                          StringMap{{"app", std::to_string(i)}});
  });
  http::Limits limits;
  limits.workers = 4;
  ExtenderOptions options;
  options.answer = AnswerMode::kOne;
  RunningService service(std::move(cache), default_rule_set(), options, limits);

  std::atomic<int> bad = 0;
  {
    std::vector<std::jthread> clients;
    for (int c = 0; c < 8; ++c) {
      clients.emplace_back([&, c] {
        Client client = service.client();
        for (int i = 0; i < 60; ++i) {
          const std::string app = std::to_string((c * 60 + i) % 200);
          const std::string body =
              args_with_names(names, R"({"metadata":{"name":"x","namespace":"default","uid":"u)" + app +
                                         R"(","labels":{"app":")" + app + R"("}}})");
          const FilterResult filter = read_filter(client.ask(request_text("POST", "/filter", body)).body);
          // n19 comes and goes.
          const auto known = filter.fit.size();
          if (!filter.valid || known < 19 || known > 20 || filter.fit.size() + filter.failed.size() != 21)
            ++bad;
          const auto scores = read_scores(client.ask(request_text("POST", "/prioritize", body)).body);
          if (!scores || scores->size() != 21 || scores->back().second != 0) ++bad;
          if (i % 10 == 0 && !is_json(client.ask(request_text("POST", "/explain", body)).body)) ++bad;
          if (i % 20 == 0 && client.ask(request_text("GET", "/metrics")).status != 200) ++bad;
        }
      });
    }
    std::jthread writer([&](const std::stop_token& stop) {
      for (int i = 0; !stop.stop_requested() && i < 2000; ++i) {
        service.cache().write([&](State& state) {
          if (i % 2 == 0) {
            state.remove_node("n19");
          } else {
            state.set_node(nodes[19]);
          }
          state.set_pod(pod("moving").label("app", std::to_string(i % 200)).on("n" + std::to_string(i % 19)));
        });
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    });
    clients.clear();
  }
  CHECK(bad == 0);
  CHECK(service.metric(R"(winnow_requests_total{result="ok",verb="filter"})") == 8 * 60);
  CHECK(service.metric("winnow_request_nodes_count{verb=\"prioritize\"}") == 8 * 60);
}

}  // namespace
}  // namespace winnow::test
