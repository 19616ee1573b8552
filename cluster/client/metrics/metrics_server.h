// The usage of nodes as the API servers tell it: NodeMetrics, which metrics-server serves behind them.
#pragma once

#include <chrono>
#include <stop_token>
#include <string_view>

#include "cluster/client/metrics/metrics_provider.h"

namespace winnow::live {

class ApiServers;
class ApiTransport;

/// Lists nodes of metrics.k8s.io/v1beta1. A server that does not answer, or answers with an error, is left
/// for another one: within one poll each server is asked once at most.
class MetricsServer final : public MetricsProvider {
 public:
  /// How long a server may take.
  static constexpr std::chrono::seconds kLimit{10};

  /// Both outlive this.
  MetricsServer(ApiServers& servers, ApiTransport& transport) : servers_(servers), transport_(transport) {}

  std::string_view name() const override { return "metrics-server"; }
  Polled poll(const std::stop_token& stop) override;

 private:
  ApiServers& servers_;
  ApiTransport& transport_;
};

/// Reads a NodeMetricsList. What cannot be read of it is left out, and told of. A text that is none has
/// failed.
Polled read_node_metrics_list(std::string_view json);

}  // namespace winnow::live
