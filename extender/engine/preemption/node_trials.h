// All rules of an engine in the dry run of a preemption.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "cluster/rule/trial.h"
#include "extender/engine/engine.h"

namespace winnow {

/// The rules that look at pods, on one node after another. The rules that look at none are not asked: see
/// passing_others(). Used by one thread; copies may be used by others.
class NodeTrials {
 public:
  /// All arguments outlive this; the request's reason lists are set. A plugin of today's that had nothing to
  /// say about the pod goes on having nothing to say. @param begun  of the view without any change.
  NodeTrials(const Engine& engine, const Filtered& begun, const Request& request);
  NodeTrials(const NodeTrials& other);
  NodeTrials& operator=(const NodeTrials&) = delete;

  /// Turns to a node, with all its pods.
  void begin(NodeId node);
  /// See Trial.
  void change(PodId pod, std::int32_t by);
  /// With the nominated pods that the pod must leave room for, and without them.
  bool fits() const;

 private:
  const View& view_;
  const Pod& pod_;
  std::vector<std::unique_ptr<Trial>> rules_;
  std::vector<PodId> promised_;  ///< Pods that are nominated for the node.
};

/// The nodes that pass all rules which look at no pods, in their order.
std::vector<NodeId> passing_others(const Engine& engine, const Filtered& begun, std::vector<NodeId> nodes);

}  // namespace winnow
