// Calls that are ended: their time is over, or a rule throws on whatever thread. The next call is answered.
#include <doctest/doctest.h>

#include <atomic>
#include <new>
#include <thread>

#include "tests/extender/service/answers.h"
#include "tests/extender/service/fake_rules.h"
#include "tests/extender/service/running_server.h"

namespace winnow::test {
namespace {

constexpr int kNodes = 5000;  // Several chunks, so that helpers take part.

/// A rule that sleeps in each map(), and counts the nodes that it was asked about.
struct Slow {
  static inline std::atomic<std::size_t> asked = 0;
  static inline std::atomic<bool> throws = false;

  static void map(std::size_t nodes) {
    if (throws) throw std::bad_alloc();
    asked += nodes;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
};

class SlowPredicate : public Predicate {
 public:
  void map(std::span<const NodeId> nodes, std::span<Verdict>) const override { Slow::map(nodes.size()); }
  std::span<const std::string> reasons() const override { return {}; }
};
std::unique_ptr<const Predicate> slow(const Request&, const Arguments&) {
  return std::make_unique<SlowPredicate>();
}

class SlowPriority : public Priority {
 public:
  void map(std::span<const NodeId> nodes, std::span<std::int64_t>) const override { Slow::map(nodes.size()); }
};
std::expected<std::unique_ptr<const Priority>, std::string> slow_score(const Request&, const Arguments&) {
  return std::make_unique<SlowPriority>();
}

struct SlowService {
  explicit SlowService(std::chrono::milliseconds timeout, RuleSet set)
      : rules{std::move(set)},
        cache(cache_of_size(kNodes)),
        extender(active_config_of(*cache, engines, metrics), metrics, options(timeout)) {
    for (int i = 0; i < kNodes; ++i) names.push_back("n" + std::to_string(i));
    Slow::asked = 0;
    Slow::throws = false;
  }
  static ExtenderOptions options(std::chrono::milliseconds timeout) {
    ExtenderOptions options;
    options.request_timeout = timeout;
    return options;
  }

  http::Response post(const std::string& path, const std::string& body) {
    http::Request request{.method = "POST", .path = path, .content_type = "application/json", .body = body};
    http::Response response;
    extender.handle(request, response);
    return response;
  }
  std::string count(const std::string& result, const std::string& verb) const {
    return "winnow_requests_total{result=\"" + result + "\",verb=\"" + verb + "\"} 1\n";
  }

  std::vector<RuleSet> rules;
  Workers workers{3};
  Engines engines{rules, workers};
  Metrics metrics{"", ""};
  std::unique_ptr<ClusterCache> cache;
  Extender extender;
  std::vector<std::string> names;
};

RuleSet slow_rules() {
  RuleSet rules;
  rules.predicates = {{"Slow", &slow, {}}};
  return rules;
}
RuleSet slow_scores() {
  RuleSet rules;
  rules.priorities = {{"Slow", &slow_score, {}}};
  return rules;
}

TEST_CASE("a call ends soon after its time") {
  struct Row {
    const char* path;
    const char* verb;
    RuleSet rules;
  };
  const Row rows[] = {{"/filter", "filter", slow_rules()},
                      {"/explain", "explain", slow_rules()},
                      {"/prioritize", "prioritize", slow_scores()}};
  for (const Row& row : rows) {
    CAPTURE(row.path);
    SlowService service(std::chrono::milliseconds(150), row.rules);
    const http::Response answer = service.post(row.path, args_with_names(service.names));
    CHECK(answer.status == 503);
    CHECK(answer.body == "overloaded: the answer was not ready in time\n");
    CHECK(Slow::asked < kNodes);
    CHECK(service.metrics.render().contains(service.count("shed", row.verb)));
  }
}

TEST_CASE("preempt answers what was judged in time, or 503") {
  SlowService service(std::chrono::milliseconds(150), slow_rules());
  std::string victims;
  for (int i = 0; i < 100; ++i)
    victims += (i == 0 ? "\"n" : ",\"n") + std::to_string(i) + R"(":{"Pods":[{"UID":"u"}]})";
  const http::Response answer = service.post(
      "/preempt", R"({"Pod":{"metadata":{"name":"p"}},"NodeNameToMetaVictims":{)" + victims + "}}");
  CHECK((answer.status == 200 || answer.status == 503));
  CHECK(Slow::asked < 100);
}

TEST_CASE("a rule that throws, on whatever thread, fails its call and no other") {
  SlowService service(std::chrono::minutes(1), slow_rules());
  Slow::throws = true;
  const http::Response answer = service.post("/filter", args_with_names(service.names));
  CHECK(answer.status == 500);
  CHECK(answer.body == "internal error\n");
  CHECK(service.metrics.render().contains(service.count("internal", "filter")));
  CHECK(
      service
          .post("/preempt", R"({"Pod":{"metadata":{"name":"p"}},"NodeNameToMetaVictims":{"n0":{"Pods":[]}}})")
          .status == 500);
  Slow::throws = false;
  CHECK(read_filter(service.post("/filter", args_with_names({"n0", "n1"})).body).fit.size() == 2);
}

TEST_CASE("a call that finds the picture lost is refused, and answered when it is whole again") {
  SlowService service(std::chrono::minutes(1), default_rule_set());
  service.cache->add_source();
  CHECK_THROWS_AS(service.cache->write([](State&) { throw std::bad_alloc(); }), std::bad_alloc);
  const std::string asked = args_with_names({"n0", "n1"});
  for (const char* path : {"/filter", "/prioritize", "/explain"}) {
    CAPTURE(path);
    const http::Response answer = service.post(path, asked);
    CHECK(answer.status == 503);
    CHECK(answer.body == "winnow: the picture of the cluster was lost, and is being read again\n");
  }
  CHECK(service.post("/preempt", R"({"Pod":{"metadata":{"name":"p"}},"NodeNameToMetaVictims":{}})").status ==
        503);
  service.cache->write([&](State& state) {
    for (const char* name : {"n0", "n1"}) state.set_node(node(name).cpu("8").memory("32Gi").pods("110"));
    service.cache->source_listed();
  });
  CHECK(read_filter(service.post("/filter", asked).body).fit.size() == 2);
}

TEST_CASE("the work ends when the client has gone") {
  SlowService service(std::chrono::minutes(1), slow_rules());
  const ClusterCache::ReadGuard reader = service.cache->read();
  const View view(*reader);
  const std::vector<NodeId> nodes = view.all_nodes();
  const Pod asked = pod("p");
  const Budget budget(std::chrono::steady_clock::now() + std::chrono::hours(1),
                      [] { return Slow::asked > 0; });
  PassTimes times;
  const Request request{.pod = asked, .view = view, .nodes = nodes, .budget = &budget};
  CHECK_THROWS_AS(service.engines.find(asked)->filter(request, false, times), OutOfTime);
  CHECK(Slow::asked < kNodes);
}

TEST_CASE("preempt says what is wrong with the pod") {
  RuleSet rules = slow_rules();
  rules.scheduler_name = "other";
  SlowService service(std::chrono::minutes(1), rules);
  const http::Response answer =
      service.post("/preempt", R"({"Pod":{"metadata":{"name":"p"}},"NodeNameToMetaVictims":{}})");
  CHECK(answer.status == 400);
  CHECK(answer.body == "profile not found for scheduler name \"default-scheduler\"\n");
}

}  // namespace
}  // namespace winnow::test
