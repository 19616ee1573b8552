// The score of a node by the sizes of the pod's images that it has.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "priorities/rules.h"

namespace winnow::priorities {

/// Each image that the node has counts int(size * nodes that have it / all nodes), in bytes. The sum is
/// clamped to the range from 23 MiB to `most`, and that range is mapped to 0 to `max_score`. The size is the
/// one that the oldest node with the image reports. The node count is the current one; upstream's is of the
/// node's last update.
class Images final : public PerNode<Images> {
 public:
  /// @param images  as the pod names them. ":latest" is added to a name without a tag; names that are spelled
  ///   differently are different images.
  /// @param most  bytes.
  Images(const View& view, std::span<const std::string_view> images, std::int64_t most,
         std::int64_t max_score);
  /// Whether no node has any of the images.
  bool are_nowhere() const { return sums_.empty(); }
  std::int64_t score(NodeId node) const;

  /// The bytes beyond which one image on every node counts no more.
  static constexpr std::int64_t kMostOfOne = 1000 * 1024 * 1024;

 private:
  const std::int64_t most_, max_score_;
  std::vector<std::int64_t> sums_;  // By node id; empty if no node has an image.
};

}  // namespace winnow::priorities
