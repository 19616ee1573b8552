// Which one node a pod is given, for the answers `best` and `one`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "cluster/api/pod.h"
#include "cluster/state/view.h"
#include "extender/calls/picks.h"

namespace winnow {

/// Draws among the nodes with the highest total. A node that the pod was given before and did not go to steps
/// back: after the first time behind its equals, from the second time on behind all others. Thread-safe.
class NodePicker {
 public:
  /// @param seed  makes the draw repeatable, whatever the order of the nodes. Absent: drawn here.
  explicit NodePicker(std::optional<std::uint64_t> seed);

  /// @param pod_key  see pod_key_of(). @param totals  by node.
  /// @return the index of the pick; nothing where there are no nodes.
  std::optional<std::size_t> pick(const Pod& pod, std::string_view pod_key, const View& view,
                                  std::span<const NodeId> nodes, std::span<const std::int64_t> totals) const;
  /// The pod is given this node now.
  void answered(std::string_view pod_key, std::string_view node) { picks_.answered(pod_key, node); }

 private:
  const bool repeatable_;
  const std::uint64_t seed_;
  Picks picks_;
};

}  // namespace winnow
