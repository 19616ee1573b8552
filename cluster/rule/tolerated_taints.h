// The nodes whose taints a pod tolerates.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "cluster/state/view.h"

namespace winnow {

/// The taints of nodes, judged for one pod. Nodes share taint sets: each set is judged once, and a node costs
/// two array reads. The view must outlive the object.
class ToleratedTaints {
 public:
  /// @param effects  taints with any other effect are ignored.
  /// Upstream: component-helpers v0.37.0 scheduling/corev1 FindMatchingUntoleratedTaint.
  ToleratedTaints(const View& view, const std::vector<Toleration>& tolerations,
                  std::initializer_list<std::string_view> effects);

  /// Whether the pod tolerates every taint set that the view has.
  bool tolerates_all_nodes() const { return all_; }
  bool tolerates(NodeId node) const { return sets_[taints_[node]] != 0; }

 private:
  const Column<std::uint32_t> taints_;
  std::vector<std::uint8_t> sets_;  ///< By taint set.
  bool all_ = true;
};

}  // namespace winnow
