// In which order kube-scheduler names nodes: learned, to find the next one without a look-up.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>

#include "cluster/state/view.h"

namespace winnow {

/// Which node followed which one last time. kube-scheduler walks its nodes in an order that seldom changes,
/// so the guess is nearly always right, and a comparison with a known name takes the place of finding the
/// name's end and looking it up. Guesses are only guesses: thread-safe without order, and right after any
/// change of nodes.
class NodeOrder {
 public:
  NodeOrder() : next_(std::make_unique<std::array<std::atomic<NodeId>, kSlots>>()) {
    for (std::atomic<NodeId>& slot : *next_) slot.store(kNone, std::memory_order_relaxed);
  }

  /// kNone where nothing was learned.
  NodeId after(NodeId node) const { return slot(node).load(std::memory_order_relaxed); }
  /// Only nodes whose name stands in JSON as it is: it is compared with what a request has between its
  /// quotes.
  void learn(NodeId node, NodeId next) { slot(node).store(next, std::memory_order_relaxed); }

 private:
  static constexpr std::size_t kSlots = 1 << 16;
  std::atomic<NodeId>& slot(NodeId node) const { return (*next_)[node % kSlots]; }

  std::unique_ptr<std::array<std::atomic<NodeId>, kSlots>> next_;
};

}  // namespace winnow
