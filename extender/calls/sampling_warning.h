// Says that kube-scheduler shows a part of the nodes only.
#pragma once

#include <atomic>
#include <cstddef>
#include <span>

#include "extender/calls/sampling.h"
#include "extender/metrics/live_metrics.h"

namespace winnow {

/// Counts the filter calls that show sampling, and logs the first of them. Thread-safe.
class SamplingWarning {
 public:
  /// @param shown  the nodes of a filter call. @param nodes  how many there are.
  void look_at(std::span<const NodeId> shown, std::size_t nodes, LiveMetrics& metrics);

 private:
  Sampling sampling_;
  std::atomic<bool> warned_ = false;
};

}  // namespace winnow
