// Which nodes' taints a pod tolerates.
#pragma once

#include <initializer_list>
#include <vector>

#include "cluster/state/view.h"

namespace winnow {

/// The taints of nodes, judged for one pod: nodes share taint sets, so each set is judged once and a node
/// costs two array reads. The view outlives it.
class ToleratedTaints {
 public:
  /// Taints with another effect than these are passed over.
  /// Upstream: component-helpers v0.37.0 scheduling/corev1 FindMatchingUntoleratedTaint.
  ToleratedTaints(const View& view, const std::vector<Toleration>& tolerations,
                  std::initializer_list<std::string_view> effects);

  bool tolerates_all_nodes() const { return all_; }
  bool tolerates(NodeId node) const { return sets_[taints_[node]] != 0; }

 private:
  const Column<std::uint32_t> taints_;
  std::vector<std::uint8_t> sets_;  ///< By taint set.
  bool all_ = true;
};

}  // namespace winnow
