// ConfigSwitch over a live cluster that is empty, and whose API server may refuse a resource or fall silent.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "cluster/client/servers/api_servers.h"
#include "cluster/client/transport/transport.h"
#include "cluster/client/watch/live_cluster.h"
#include "extender/config/gates.h"
#include "extender/config/rules.h"
#include "extender/engine/workers.h"
#include "extender/service/config_switch.h"
#include "extender/service/live_observer.h"
#include "extender/service/metrics/metrics.h"

namespace winnow::test {

/// Lists everything as empty, and watches in silence.
class EmptyApi final : public live::ApiTransport {
 public:
  std::atomic<bool> down = false;
  std::atomic<bool> revoked = false;  ///< Our credentials are; what is open ends.
  /// Refuses lists of a resource. @param resource  its name; "" for none. @param status  500: it fails.
  void refuse(std::string resource, int status) {
    const std::lock_guard lock(mutex_);
    refused_ = std::move(resource);
    status_ = status;
  }
  void forbid(std::string resource) { refuse(std::move(resource), 403); }

  using Answer = std::expected<live::ApiResponse, live::TransportError>;
  Answer call(const std::string&, const live::ApiRequest& request, std::chrono::milliseconds,
              const std::stop_token&) override {
    if (down) return broken();
    if (revoked) return live::ApiResponse{401, "{}", std::nullopt};
    for (const ResourceKind kind : kAllKinds) {
      const live::Resource resource = live::resource_of(kind);
      if (request.path.substr(0, request.path.find('?')) != resource.path) continue;
      if (const int status = refusal_of(resource.name)) return live::ApiResponse{status, "{}", std::nullopt};
      return live::ApiResponse{
          200, R"({"kind":")" + resource.kind + R"(List","metadata":{"resourceVersion":"5"},"items":[]})",
          std::nullopt};
    }
    return live::ApiResponse{404, "{}", std::nullopt};
  }
  Answer stream(const std::string&, const live::ApiRequest& request, std::chrono::milliseconds,
                std::chrono::milliseconds, const OnPiece& on_piece, const std::stop_token& stop) override {
    if (down) return broken();
    if (revoked) return live::ApiResponse{401, "{}", std::nullopt};
    if (request.path.contains("sendInitialEvents")) return live::ApiResponse{422, "{}", std::nullopt};
    on_piece("");
    while (!stop.stop_requested() && !down && !revoked)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return broken();
  }

 private:
  static Answer broken() {
    return std::unexpected(live::TransportError{live::TransportError::Kind::kBroken, "broken"});
  }
  /// 0: it is listed.
  int refusal_of(const std::string& resource) {
    const std::lock_guard lock(mutex_);
    return resource == refused_ ? status_ : 0;
  }
  std::mutex mutex_;
  std::string refused_;
  int status_ = 0;
};

struct LiveConfigSwitch : CacheSources, ConfigObserver {
  EmptyApi api;
  live::ApiServers servers{{"https://a"}, live::system_clock()};
  Workers workers{0};
  Metrics metrics{"", ""};
  LiveObserver observer{metrics.live()};
  std::vector<ActiveConfig> changes;
  ConfigSwitch config_switch;

  explicit LiveConfigSwitch(ConfigSwitch::Options options = {})
      : config_switch(workers, metrics, *this, options, this) {}

  std::expected<std::shared_ptr<CacheSource>, std::string> make(const State::Options& made,
                                                                WatchedKinds needs) override {
    return std::make_shared<CacheSource>(
        made, needs,
        live::LiveCluster::Shared{servers, api, live::system_clock(), observer, [](auto, auto) {}});
  }
  void on_active(ActiveConfig active) override { changes.push_back(std::move(active)); }

  bool asks(std::string_view predicate) const {
    return std::ranges::contains(config_switch.active().engines->predicate_names(), predicate);
  }
  /// Of /metrics, by its whole name.
  bool shows(const std::string& series, int value) {
    return metrics.render().contains("\n" + series + ' ' + std::to_string(value) + '\n');
  }
};

inline LoadedRules rules_of(const std::string& text) {
  return load_rules("config", text, parse_gates("").value()).value();
}
/// Policies: what the second reads of the cluster is not all there for the first.
inline const char* const kReadsFew =
    R"({"kind":"Policy","apiVersion":"v1","predicates":[{"name":"PodFitsResources"}],
        "priorities":[{"name":"LeastRequestedPriority","weight":1}]})";
inline const char* const kReadsServices =
    R"({"kind":"Policy","apiVersion":"v1","predicates":[{"name":"HostName"}],
        "priorities":[{"name":"SelectorSpreadPriority","weight":1}]})";
inline const char* const kTakenSeries = R"(winnow_config_reloads_total{result="taken"})";
inline const char* const kRefusedSeries = R"(winnow_config_reloads_total{result="refused"})";

}  // namespace winnow::test
