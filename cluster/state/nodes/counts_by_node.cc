#include "cluster/state/nodes/counts_by_node.h"

#include <algorithm>

namespace winnow {

void CountsByNode::change(NodeId node, std::int32_t by) {
  if (entries_.empty() || entries_.back().node < node) return entries_.push_back({node, by});
  const auto it = std::ranges::lower_bound(entries_, node, {}, &PodsOnNode::node);
  if (it->node != node) {
    entries_.insert(it, {node, by});
  } else if ((it->pods += by) == 0) {
    entries_.erase(it);
  }
}

}  // namespace winnow
