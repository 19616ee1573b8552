// The service as main() puts it together, around a sample and without a socket.
#pragma once

#include <string>
#include <vector>

#include "extender/config/policy.h"
#include "extender/service/extender.h"
#include "tests/bench/sample.h"

namespace winnow::bench {

/// Default rules, answer `complete`. Used by one thread.
class TestService {
 public:
  explicit TestService(Sample::Size size, unsigned helpers = 0)
      : sample_(size),
        rules_(default_rules({}).rules),
        picture_(State::Options{rules_.accounting, rules_.exact_zones}),
        workers_(helpers),
        engine_(rules_, workers_),
        metrics_("bench", "bench", names()),
        extender_(picture_, engine_, metrics_, ExtenderOptions{.seed = 1}) {
    picture_.write([&](State& state) { sample_.load(state); });
  }

  /// A request whose body lies in memory as the server leaves it: with no byte to spare.
  static http::Request request(const char* path, const std::string& body) {
    http::Request made{.method = "POST", .path = path};
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
  Picture& picture() { return picture_; }
  const Engine& engine() const { return engine_; }
  const Metrics& metrics() const { return metrics_; }

 private:
  std::vector<std::string> names() const {
    std::vector<std::string> list;
    for (const ConfiguredPredicate& rule : rules_.predicates) list.push_back(rule.name);
    return list;
  }

  const Sample sample_;
  const RuleSet rules_;
  Picture picture_;
  Workers workers_;
  const Engine engine_;
  Metrics metrics_;
  Extender extender_;
};

}  // namespace winnow::bench
