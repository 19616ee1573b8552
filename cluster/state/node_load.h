// What is measured of a node, and what is on its way to it.
#pragma once

#include <cstdint>
#include <optional>

#include "cluster/api/node_metrics.h"

namespace winnow {

/// A row's part of the table of nodes, where expressions read it.
///
/// A measurement tells how much the pods of a node have used for a while. A pod that has started later, or is
/// to start still, is not in it: it is on its way. The sums of those are beside the measurement. A pod leaves
/// them with the first measurement whose window begins after the pod's containers have started.
struct NodeLoad {
  std::optional<NodeUsage> usage;
  MetricsByName metrics;
  /// What the pods on their way request: thousandths of a core and bytes. A container that requests nothing
  /// counts as the scheduler's scores count it, by 100m and 200Mi.
  std::int64_t coming_cpu = 0, coming_memory = 0;
  std::int64_t coming_pods = 0;

  /// Whether the measurement is of a time at which the pod was running.
  /// @param running_since  seconds since 1970, or kNotStarted.
  bool includes(std::int64_t running_since) const {
    constexpr std::int64_t kSecond = 1'000'000'000;
    return usage && running_since <= (usage->taken - usage->window) / kSecond;
  }
  bool operator==(const NodeLoad&) const = default;
};

}  // namespace winnow
