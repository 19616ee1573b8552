// The order in which kube-scheduler names nodes, learned in order to find the next node without a look-up.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>

#include "cluster/state/view.h"

namespace winnow {

/// A table of the node that followed each node last time. kube-scheduler goes through its nodes in an order
/// that seldom changes, so a guess is nearly always right. A comparison with the guessed name then replaces
/// finding the name's end and looking it up. A wrong guess only costs a look-up: the caller compares the
/// name. So the slots are relaxed atomics, and nodes may change at any time. Thread-safe.
class NodeOrder {
 public:
  NodeOrder() : next_(std::make_unique<std::array<std::atomic<NodeId>, kSlots>>()) {
    for (std::atomic<NodeId>& slot : *next_) slot.store(kNone, std::memory_order_relaxed);
  }

  /// The node that followed `node`; kNone if none was learned.
  NodeId after(NodeId node) const { return slot(node).load(std::memory_order_relaxed); }
  /// Notes that `next` followed `node`. Only for a node whose name needs no escapes in JSON: the name is
  /// compared with the text between the quotes of a request.
  void learn(NodeId node, NodeId next) { slot(node).store(next, std::memory_order_relaxed); }

 private:
  static constexpr std::size_t kSlots = 1 << 16;
  std::atomic<NodeId>& slot(NodeId node) const { return (*next_)[node % kSlots]; }

  std::unique_ptr<std::array<std::atomic<NodeId>, kSlots>> next_;
};

}  // namespace winnow
