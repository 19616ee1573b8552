// What is measured of a node: NodeMetrics of metrics.k8s.io/v1beta1, and numbers by name beside it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "cluster/api/meta.h"

namespace winnow {

/// Numbers by the names that the user has given them.
using MetricsByName = std::map<std::string, double, std::less<>>;

/// How much of a node is used: an average over the time from `taken - window` to `taken`.
struct NodeUsage {
  double cpu = 0;           ///< Cores.
  double memory = 0;        ///< Bytes.
  std::int64_t taken = 0;   ///< Nanoseconds since 1970, UTC.
  std::int64_t window = 0;  ///< Nanoseconds.

  bool operator==(const NodeUsage&) const = default;
};

struct NodeMetrics {
  ObjectMeta metadata;             ///< The name is the node's.
  std::optional<NodeUsage> usage;  ///< Nothing: it is not known.
  MetricsByName metrics;           ///< Winnow's own field `metrics`; the API has none.

  bool operator==(const NodeMetrics&) const = default;
};

}  // namespace winnow
