// The service as main() puts it together, around a sample and without a socket.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "extender/config/extenders.h"
#include "extender/config/gates.h"
#include "extender/config/rules.h"
#include "extender/engine/engines.h"
#include "extender/engine/workers.h"
#include "extender/service/extender.h"
#include "extender/service/metrics/metrics.h"
#include "tests/bench/sample.h"

namespace winnow::bench {

/// The classic default rules or others, answer `complete`. Used by one thread.
class TestService {
 public:
  explicit TestService(Sample::Size size, unsigned helpers = 0, LoadedRules rules = classic_rules({}))
      : sample_(size),
        rules_(std::move(rules.sets)),
        cache_(
            State::Options{rules_.front().accounting, rules_.front().exact_zones, rules_.front().generation}),
        workers_(helpers),
        engines_(rules_, workers_),
        metrics_("bench", "bench"),
        extender_(active(), metrics_, ExtenderOptions{.seed = 1}) {
    cache_.write([&](State& state) { sample_.load(state); });
  }

  /// Another service over the same cache, by the same rules. This outlives it.
  std::unique_ptr<Extender> another(ExtenderOptions options, ExtenderServices services) {
    return std::make_unique<Extender>(active(), metrics_, std::move(options), std::move(services));
  }

  /// A request whose body lies in memory as the server leaves it: with no byte to spare.
  static http::Request request(const char* path, const std::string& body) {
    http::Request made{.method = "POST", .path = path, .content_type = "application/json"};
    made.body.reserve(body.size());
    made.body = body;
    return made;
  }
  /// The whole of a call but for the socket.
  http::Response handle(http::Request& request) {
    http::Response response;
    extender_.handle(request, response);
    return response;
  }
  std::string answer(const char* path, const std::string& body) {
    http::Request made = request(path, body);
    return handle(made).body;
  }

  const Sample& sample() const { return sample_; }
  ClusterCache& cache() { return cache_; }
  const Engine& engine() const { return *engines_.find(Pod()); }
  const Metrics& metrics() const { return metrics_; }

 private:
  ActiveConfig active() {
    return {.engines = {std::shared_ptr<const Engines>(), &engines_},
            .cache = {std::shared_ptr<ClusterCache>(), &cache_},
            .rejections = metrics_.rules(engines_.predicate_names())};
  }

  const Sample sample_;
  const std::vector<RuleSet> rules_;
  ClusterCache cache_;
  Workers workers_;
  const Engines engines_;
  Metrics metrics_;
  Extender extender_;
};

}  // namespace winnow::bench
