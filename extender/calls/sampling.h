// Notices that kube-scheduler shows a part of the nodes only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "cluster/mutex.h"
#include "cluster/state/nodes/node_table.h"

namespace winnow {

/// A kube-scheduler without percentageOfNodesToScore: 100 stops looking for nodes when it has enough, goes on
/// from there for the next pod, and takes the few it has shown for all there are: where only an extender
/// refuses nodes, a pod then stays pending although a node is free. It is known by calls in a row that name
/// the same number of nodes, one at which it stops with some percentage and fewer than there are, and each
/// time others. Thread-safe.
/// Upstream: pkg/scheduler/schedule_one.go numFeasibleNodesToFind v1.37.0.
class Sampling {
 public:
  static constexpr std::size_t kLeast = 100;  ///< Upstream's minFeasibleNodesToFind.
  static constexpr std::size_t kMostPercent = 99;
  static constexpr int kInARow = 4;

  /// @param asked  the nodes of a filter call.  @return whether it shows sampling.
  bool notice(std::span<const NodeId> asked, std::size_t nodes);

 private:
  Mutex mutex_;
  std::size_t count_ WINNOW_GUARDED_BY(mutex_) = 0;
  std::uint64_t set_ WINNOW_GUARDED_BY(mutex_) = 0;
  int in_a_row_ WINNOW_GUARDED_BY(mutex_) = 0;
};

}  // namespace winnow
