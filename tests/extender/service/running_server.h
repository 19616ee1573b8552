// The whole service on a free port, over a cluster of the test's.
#pragma once

#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/api/decode.h"
#include "cluster/files/cluster_file.h"
#include "extender/config/gates.h"
#include "extender/config/rules.h"
#include "extender/engine/engines.h"
#include "extender/engine/workers.h"
#include "extender/service/extender.h"
#include "extender/service/metrics/metrics.h"
#include "tests/builders.h"
#include "tests/extender/service/given_services.h"
#include "tests/extender/service/http/client.h"

namespace winnow::test {

using http::test::Answer;
using http::test::Client;

inline std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
/// A file under tests/fixtures/captures.
inline std::string capture(const std::string& name) {
  return read_file(std::string(WINNOW_FIXTURES) + "/captures/" + name);
}

inline std::unique_ptr<ClusterCache> cache_of(const std::vector<Node>& nodes,
                                              const std::vector<Pod>& pods = {}) {
  auto cache = std::make_unique<ClusterCache>(State::Options{});
  cache->write([&](State& state) {
    for (const Node& node : nodes) state.set_node(node);
    for (const Pod& pod : pods) state.set_pod(pod);
  });
  return cache;
}
/// Nodes n0, n1, … with room for everything.
inline std::unique_ptr<ClusterCache> cache_of_size(int nodes) {
  std::vector<Node> list;
  for (int i = 0; i < nodes; ++i)
    list.push_back(node("n" + std::to_string(i)).cpu("8").memory("32Gi").pods("110"));
  return cache_of(list);
}
/// The sample cluster of manifests/.
inline std::unique_ptr<ClusterCache> sample_cache() {
  const std::vector<std::string> files = {std::string(WINNOW_ROOT) + "/manifests/sample-cluster.json"};
  auto cache = std::make_unique<ClusterCache>(State::Options{});
  cache->write([&](State& state) { load(state, read_cluster(files).value()); });
  return cache;
}

inline RuleSet default_rule_set() { return classic_rules(parse_gates("").value()).sets.front(); }
/// Today's rules, all of them, or without a plugin.
inline RuleSet todays_rule_set(const std::string& without = "") {
  std::string config = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";
  if (!without.empty())
    config += "profiles: [{plugins: {multiPoint: {disabled: [{name: " + without + "}]}}}]\n";
  return load_rules("f", config, parse_gates("").value()).value().sets.front();
}
/// Of the cache that today's rules read.
inline constexpr State::Options kTodaysOptions{
    .accounting = Accounting::kToday, .exact_zones = false, .generation = Generation::kToday};

/// What a service answers from, where the test owns all of it. All three outlive it.
inline ActiveConfig active_config_of(ClusterCache& cache, const Engines& engines, Metrics& metrics) {
  return {.engines = {std::shared_ptr<const Engines>(), &engines},
          .cache = {std::shared_ptr<ClusterCache>(), &cache},
          .rejections = metrics.rules(engines.predicate_names())};
}

inline std::string request_text(std::string_view method, std::string_view path, std::string_view body = "",
                                std::string_view more_headers = "") {
  std::string text = std::string(method) + ' ' + std::string(path) + " HTTP/1.1\r\nHost: localhost\r\n";
  if (!more_headers.contains("Content-Type:")) text += "Content-Type: application/json\r\n";
  if (method == "POST" || !body.empty()) text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  return text + std::string(more_headers) + "\r\n" + std::string(body);
}

class RunningService {
 public:
  explicit RunningService(std::unique_ptr<ClusterCache> cache, RuleSet rules = default_rule_set(),
                          ExtenderOptions options = {}, http::Limits limits = {},
                          ExtenderServices services = {})
      : RunningService(std::move(cache), std::vector{std::move(rules)}, std::move(options), limits,
                       std::move(services)) {}
  RunningService(std::unique_ptr<ClusterCache> cache, std::vector<RuleSet> rules,
                 ExtenderOptions options = {}, http::Limits limits = {}, ExtenderServices services = {})
      : cache_(std::move(cache)),
        rules_(std::move(rules)),
        engines_(rules_, workers_),
        metrics_("test", "test"),
        extender_(active_config_of(*cache_, engines_, metrics_), metrics_, patient(std::move(options)),
                  std::move(services)),
        running_(
            [this](http::Request& request, http::Response& response) { extender_.handle(request, response); },
            limits, [this](http::Server& server) { extender_.add_routes(server, Listener::kMain); }) {}

  ClusterCache& cache() { return *cache_; }
  Extender& extender() { return extender_; }
  const Engines& engines() const { return engines_; }
  std::uint16_t port() const { return running_.port; }
  Client client() const { return Client(running_.port); }

  /// One call on a connection of its own.
  Answer ask(std::string_view method, std::string_view path, std::string_view body = "",
             std::string_view more_headers = "") const {
    return client_for(method, path, body, more_headers);
  }
  Answer post(std::string_view path, std::string_view body) const { return ask("POST", path, body); }
  Answer get(std::string_view path) const { return ask("GET", path); }

  /// A series of /metrics by its whole name; -1 where there is none.
  double metric(const std::string& series) const {
    const std::string page = "\n" + get("/metrics").body;
    const auto at = page.find("\n" + series + ' ');
    return at == std::string::npos ? -1 : std::stod(page.substr(at + series.size() + 2));
  }

 private:
  static ExtenderOptions patient(ExtenderOptions options) {
    options.preview = std::chrono::hours(1);  // A test is not to hang on the machine's load.
    return options;
  }
  Answer client_for(std::string_view method, std::string_view path, std::string_view body,
                    std::string_view more_headers) const {
    Client client(running_.port);
    client.send(request_text(method, path, body, more_headers));
    return client.receive(method == "HEAD");
  }

  std::unique_ptr<ClusterCache> cache_;
  const std::vector<RuleSet> rules_;
  Workers workers_{0};
  const Engines engines_;
  Metrics metrics_;
  Extender extender_;
  http::test::Running running_;
};

/// {"Pod":…,"Nodes":null,"NodeNames":[…]}, as kube-scheduler writes it.
inline std::string args_with_names(const std::vector<std::string>& names, std::string_view pod = "") {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "\"" : ",\"") + name + '"';
  return R"({"Pod":)" +
         std::string(pod.empty() ? R"({"metadata":{"name":"web","namespace":"default","uid":"u1"}})" : pod) +
         R"(,"Nodes":null,"NodeNames":[)" + list + "]}";
}

}  // namespace winnow::test
