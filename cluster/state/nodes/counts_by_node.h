// The number of pods of some set, by node.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cluster/state/nodes/node_table.h"

namespace winnow {

struct PodsOnNode {
  NodeId node = kNone;
  std::int32_t pods = 0;
  bool operator==(const PodsOnNode&) const = default;
};

/// A number of pods by node, in order of NodeId, without the nodes that have none. A sparse list suits: the
/// pods of one workload are on few nodes.
class CountsByNode {
 public:
  /// Adds `by` to the node's number. The number must not become negative.
  void change(NodeId node, std::int32_t by);
  /// Adds the counts to out[node]; every node here must be below out.size().
  void add_to(std::span<std::int32_t> out) const {
    for (const PodsOnNode& entry : entries_) out[entry.node] += entry.pods;
  }
  void add(const CountsByNode& other) {
    for (const PodsOnNode& entry : other.entries_) change(entry.node, entry.pods);
  }
  std::span<const PodsOnNode> entries() const { return entries_; }
  bool empty() const { return entries_.empty(); }
  bool operator==(const CountsByNode&) const = default;

 private:
  std::vector<PodsOnNode> entries_;
};

}  // namespace winnow
