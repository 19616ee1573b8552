// The warning that kube-scheduler sends a sample of the nodes only.
#pragma once

#include <atomic>
#include <cstddef>
#include <span>

#include "extender/metrics/live_metrics.h"
#include "extender/setup/sampling.h"

namespace winnow {

/// Counts the filter calls that show sampling, and logs the first one. Thread-safe.
class SamplingWarning {
 public:
  /// @param shown  the nodes of a filter call.
  /// @param nodes  the number of all nodes.
  void look_at(std::span<const NodeId> shown, std::size_t nodes, LiveMetrics& metrics);

 private:
  Sampling sampling_;
  std::atomic<bool> warned_ = false;
};

}  // namespace winnow
