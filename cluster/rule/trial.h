// A rule in the dry run of a preemption: its verdict on a node as pods leave the node and come back.
//
// Upstream works out once for a pod what its plugins need of the cluster (PreFilter). A dry run changes that
// by one pod after the other: AddPod and RemovePod of the plugin, and those of NodeInfo. So a pod counts as a
// plugin's AddPod counts it, which is not always as its PreFilter has counted it. A pod that is being deleted
// is one example: PodTopologySpread does not count it, and takes it off all the same.
#pragma once

#include <cstdint>
#include <memory>

#include "cluster/rule/request.h"

namespace winnow {

struct Arguments;

/// One node at a time. Used by one thread; copies may be used by others.
class Trial {
 public:
  virtual ~Trial() = default;

  /// Turns to a node, with the pods that the view has on it.
  virtual void begin(NodeId node) = 0;
  /// A pod of the state leaves the node (by = -1), or comes to it (by = 1). Only a pod that has left, or one
  /// that is not on any node, may come.
  virtual void change(PodId pod, std::int32_t by) = 0;
  /// Whether the pod that is to be placed passes the rule on the node, as it is now.
  virtual bool fits() const = 0;
  /// Another trial, at the same node with the same changes. What both need of the cluster they share.
  virtual std::unique_ptr<Trial> copy() const = 0;
};

/// Makes the trial of a rule that is bound to the same request. It turns to no node. What the request refers
/// to outlives it. Throws OutOfTime when the request's time is over. Null: for
/// this pod the rule has none.
using MakeTrial = std::unique_ptr<Trial>(const Request&, const Arguments&);

}  // namespace winnow
