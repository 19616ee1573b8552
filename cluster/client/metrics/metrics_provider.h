// What tells how much of nodes is used: the interface of the providers that are polled.
//
// cluster/client/metrics brings measurements of nodes from outside into the cache. metrics_server.h asks the
// API servers for NodeMetrics. prometheus.h asks a Prometheus, whose queries prometheus_queries.h reads.
// node_metrics_source.h polls them all, and forgets what is too old. node_metrics_feed.h writes into one
// cache.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "cluster/api/node_metrics.h"

namespace winnow::live {

struct Failure;

/// What came of one poll.
enum class PollResult : std::uint8_t {
  kGood,
  kPartly,   ///< Some of what was asked cannot be used. The rest is taken.
  kDenied,   ///< 401 or 403.
  kMissing,  ///< 404: nobody serves it.
  kFailed,   ///< No answer, or none that can be used.
};
inline constexpr std::size_t kPollResults = 5;
std::string_view to_string(PollResult result);  ///< As a metric's label has it: "good", "denied".

/// A number of a node, with the time that it is of: nanoseconds since 1970, UTC.
struct MetricValue {
  double value = 0;
  std::int64_t taken = 0;
};

using UsageByNode = std::map<std::string, NodeUsage, std::less<>>;
using ValuesByNode = std::map<std::string, MetricValue, std::less<>>;

/// What one poll has brought.
struct Polled {
  PollResult result = PollResult::kGood;
  std::string error;  ///< Unless kGood: why, in one line, nothing secret.
  /// How long the server wants not to be asked.
  std::optional<std::chrono::seconds> retry_after;
  UsageByNode usage;
  /// By the metric's name. A metric that is here has these values and no others; one that is not here was not
  /// answered.
  std::map<std::string, ValuesByNode, std::less<>> metrics;
};

/// The most nodes, or series, of one answer. Kubernetes has clusters of 5,000 nodes.
inline constexpr std::size_t kMostMeasured = 50'000;

/// Who can be asked. One thread uses it.
class MetricsProvider {
 public:
  virtual ~MetricsProvider() = default;
  virtual std::string_view name() const = 0;  ///< For people and labels of metrics: "metrics-server".
  /// Asks once, and waits for the answer for a bounded time. Throws std::bad_alloc alone.
  virtual Polled poll(const std::stop_token& stop) = 0;
};

/// A poll without an answer, or with one that reports a failure.
Polled failed_poll(const Failure& failure);

}  // namespace winnow::live
