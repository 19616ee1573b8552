// A detector of a kube-scheduler that sends a sample of the nodes only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "cluster/mutex.h"
#include "cluster/state/nodes/node_table.h"

namespace winnow {

/// kube-scheduler without percentageOfNodesToScore: 100 stops looking for nodes when it has found enough. It
/// continues from there with the next pod, and takes the found nodes for all that fit. If only an extender
/// refuses those, the pod stays pending although another node is free.
///
/// Sampling is detected by kInARow calls in a row that have the same number of nodes, each time other ones.
/// The number is less than the number of all nodes, and one at which kube-scheduler stops with some
/// percentage. Thread-safe.
///
/// Upstream: numFeasibleNodesToFind of pkg/scheduler/schedule_one.go, v1.37.0.
class Sampling {
 public:
  static constexpr std::size_t kLeast = 100;  ///< Upstream's minFeasibleNodesToFind.
  static constexpr std::size_t kMostPercent = 99;
  static constexpr int kInARow = 4;

  /// @param asked  the nodes of a filter call.
  /// @param nodes  the number of all nodes.
  /// @return whether this call completes such a row, or continues one.
  bool notice(std::span<const NodeId> asked, std::size_t nodes);

 private:
  Mutex mutex_;
  std::size_t count_ WINNOW_GUARDED_BY(mutex_) = 0;
  std::uint64_t set_ WINNOW_GUARDED_BY(mutex_) = 0;
  int in_a_row_ WINNOW_GUARDED_BY(mutex_) = 0;
};

}  // namespace winnow
