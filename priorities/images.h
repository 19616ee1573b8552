// Nodes that have a pod's images, the larger the better.
#pragma once

#include <string_view>

#include "priorities/rules.h"

namespace winnow::priorities {

/// Each image counts int(size * nodes that have it / all nodes); the sum is cut to 23 MiB to some most, and
/// mapped to 0 to some largest score. Size is what the oldest node that has the image reports, and the node
/// count is that of now, where upstream's is that of the node's last update.
class Images final : public PerNode<Images> {
 public:
  /// An image has no tag: ":latest". Other spellings are other images.
  Images(const View& view, std::span<const std::string_view> images, std::int64_t most,
         std::int64_t max_score);
  /// No node has any of them.
  bool are_nowhere() const { return sums_.empty(); }
  std::int64_t score(NodeId node) const;

  /// Of an image on every node, what counts most.
  static constexpr std::int64_t kMostOfOne = 1000 * 1024 * 1024;

 private:
  const std::int64_t most_, max_score_;
  std::vector<std::int64_t> sums_;  // By node, or empty.
};

}  // namespace winnow::priorities
