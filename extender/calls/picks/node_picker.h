// The choice of one node for a pod, for the answers `best` and `one`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "cluster/api/pod.h"
#include "cluster/state/view.h"
#include "extender/calls/picks/picks.h"

namespace winnow {

/// A random choice among the nodes with the highest total. A node that the pod was given before and was not
/// bound to ranks lower: after the first time behind nodes of the same total, from the second time on behind
/// all others. Thread-safe.
class NodePicker {
 public:
  /// @param seed  makes the choice repeatable, whatever the order of the nodes. Absent: drawn at random here.
  /// @param drawn  the number that is drawn at random then; absent: another one each time.
  explicit NodePicker(std::optional<std::uint64_t> seed, std::optional<std::uint64_t> drawn = std::nullopt);

  /// @param pod_key  see pod_key_of().
  /// @param totals  the nodes' totals, in the order of `nodes`.
  /// @return the index of the chosen node in `nodes`; nothing if there are none.
  std::optional<std::size_t> pick(const Pod& pod, std::string_view pod_key, const View& view,
                                  std::span<const NodeId> nodes, std::span<const std::int64_t> totals) const;
  /// Notes that the pod is answered with this node. A later pick() for the pod ranks it lower.
  void answered(std::string_view pod_key, std::string_view node) { picks_.answered(pod_key, node); }
  /// The nodes that the pod was answered with before, and how often.
  TextMap<std::uint32_t> not_followed(std::string_view pod_key) const { return picks_.not_followed(pod_key); }
  /// Sets them.
  void repeat(std::string_view pod_key, TextMap<std::uint32_t> times) {
    picks_.repeat(pod_key, std::move(times));
  }

 private:
  const bool repeatable_;
  const std::uint64_t seed_;
  Picks picks_;
};

}  // namespace winnow
