// Nodes with room for a few pods, the pods that ask for it, and a service whose cache is replaced under its
// calls.
#pragma once

#include "tests/extender/service/answers.h"
#include "tests/extender/service/running_server.h"

namespace winnow::test {

using Names = std::vector<std::string>;

/// Room for `pods` pods that ask for one CPU each.
inline Node node_for_pods(const std::string& name, int pods = 1) {
  return node(name).cpu(std::to_string(pods)).memory("8Gi").pods("110").condition("Ready", "True");
}
inline std::unique_ptr<ClusterCache> cache_for_pods(const Names& names, int pods = 1,
                                                    const State::Options& options = {}) {
  auto cache = std::make_unique<ClusterCache>(options);
  cache->write([&](State& state) {
    for (const std::string& name : names) state.set_node(node_for_pods(name, pods));
  });
  return cache;
}

/// It asks for one CPU.
inline std::string pod_json(const std::string& name, int version = 5) {
  return R"({"metadata":{"name":")" + name + R"(","namespace":"default","uid":"uid-)" + name +
         R"(","resourceVersion":")" + std::to_string(version) +
         R"("},"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]}})";
}

/// A service with several caches: the test says which of them it answers from.
struct ManyCachesService {
  static constexpr std::size_t kCaches = 8;
  Workers workers{0};
  std::vector<RuleSet> rules;
  Engines engines{rules, workers};
  Metrics metrics{"", ""};
  std::vector<std::shared_ptr<ClusterCache>> caches;
  std::optional<Extender> extender;

  ManyCachesService(const Names& nodes, int pods_a_node, ExtenderOptions options,
                    RuleSet set = default_rule_set(), ExtenderServices services = {})
      : rules{std::move(set)} {
    for (std::size_t i = 0; i < kCaches; ++i) caches.emplace_back(cache_for_pods(nodes, pods_a_node));
    extender.emplace(active(0), metrics, std::move(options), std::move(services));
  }
  ActiveConfig active(std::size_t i) {
    return {
        .engines = {std::shared_ptr<const Engines>(), &engines}, .cache = caches[i], .rejections = nullptr};
  }
  std::string post(const std::string& path, std::string body) {
    http::Request request;
    request.method = "POST";
    request.path = path;
    request.content_type = "application/json";
    request.body = std::move(body);
    http::Response response;
    extender->handle(request, response);
    return response.body;
  }
};

}  // namespace winnow::test
