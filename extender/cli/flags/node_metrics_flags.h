// The flags of `winnow serve` for what is measured of nodes: --node-metrics and what goes with it.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace winnow {

struct NodeMetricsFlags {
  std::vector<std::string> sources;  ///< "metrics-server", "prometheus=URL"; each once. Empty: none is asked.
  std::string queries_file;          ///< What is asked of Prometheus.
  std::string token_file;            ///< For Prometheus; "": no token is sent.
  std::string ca_file;               ///< The authority of Prometheus' certificate; "": the system's.
  std::chrono::milliseconds period{15'000};
  std::chrono::milliseconds max_age{300'000};

  /// Whether the API servers are asked for what metrics-server measures.
  bool asks_metrics_server() const;
  /// The Prometheus that is asked; "": none.
  std::string prometheus() const;
};

/// Adds the flags to `winnow serve`. Only --help-node-metrics shows them.
void add_node_metrics(CLI::App& serve, NodeMetricsFlags& flags);

/// The error for flags that are wrong, or that lack one another; "": none. Reads no file.
/// @param live  of a live cluster.
std::string wrong_node_metrics_flags(const NodeMetricsFlags& flags, bool live);

}  // namespace winnow
