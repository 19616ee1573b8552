// What measures nodes for `winnow serve --node-metrics`: its providers, their thread, and what is told of
// them.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "cluster/client/metrics/node_metrics_source.h"
#include "extender/service/scheduling/services.h"

namespace winnow::live {

class HttpsTransport;

}  // namespace winnow::live

namespace winnow {

class ApiAccess;
class LiveMetrics;
struct NodeMetricsFlags;

/// Logs when a provider gets into trouble, and when it is out of it.
class NodeMetricsLog final : public live::NodeMetricsObserver {
 public:
  void on_result(std::string_view provider, live::PollResult result, std::string_view error) override;
};

/// The source that feeds all caches of the access, in a thread of its own. Made before the first of them, and
/// destroyed after the last. All functions are thread-safe.
class NodeMetricsService {
 public:
  /// Reads the file of queries, and what Prometheus' transport needs. Starts the thread: the signals are
  /// blocked.
  /// @param access  outlives this. Null: the cluster comes from files, and nobody is asked.
  /// @return the service; null without --node-metrics; or an error of one line.
  static std::expected<std::unique_ptr<NodeMetricsService>, std::string> make(const NodeMetricsFlags& flags,
                                                                              ApiAccess* access);
  ~NodeMetricsService();
  NodeMetricsService(const NodeMetricsService&) = delete;
  NodeMetricsService& operator=(const NodeMetricsService&) = delete;

  /// For /readyz?verbose: a line for each provider.
  std::vector<ReadyItem> ready_items() const { return items_of(source_.status()); }
  /// Sets the metrics, before a scrape.
  void before_scrape(LiveMetrics& metrics) const;

  static std::vector<ReadyItem> items_of(const live::NodeMetricsStatus& status);

 private:
  NodeMetricsService(std::unique_ptr<live::HttpsTransport> prometheus,
                     std::vector<std::unique_ptr<live::MetricsProvider>> providers,
                     const live::NodeMetricsOptions& options);

  const std::unique_ptr<live::HttpsTransport> prometheus_;  ///< Null: none is asked.
  NodeMetricsLog log_;
  live::NodeMetricsSource source_;
  std::jthread thread_;  ///< Last member, so that it ends first.
};

}  // namespace winnow
