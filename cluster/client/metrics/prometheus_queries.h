// The file of --node-metrics-queries: what is asked of Prometheus, and which node an answer is about.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <vector>

namespace winnow::live {

/// A query in PromQL whose value for a node is node.metrics["NAME"].
struct PrometheusQuery {
  std::string name;
  std::string query;
  std::string by = "node";  ///< The label with the node's name.
  /// The node's name ends where this text begins first in the label: ":" takes the port away. "": it is all.
  std::string cut;

  bool operator==(const PrometheusQuery&) const = default;
};

inline constexpr std::size_t kMostQueries = 50;

/// Reads YAML or JSON:
///     queries:
///       diskBusy: {query: "max by (instance) (rate(node_disk_io_time_seconds_total[2m]))", by: instance,
///       cut: ":"}
/// Names have letters, digits, "_", "-" and ".", 63 at most.
/// @return the queries in the file's order, at least one; or an error of one line.
std::expected<std::vector<PrometheusQuery>, std::string> parse_prometheus_queries(std::string text);

}  // namespace winnow::live
