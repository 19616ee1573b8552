// ImageLocalityPriority: nodes that have the images of the pod's containers (not of its init containers), the
// larger the better. Each image counts int(size * nodes that have it / all nodes); the sum is cut to 23 to
// 1000 MiB and mapped to 0 to 10. Size is what the oldest node that has the image reports, and the node count
// is today's, where upstream's is that of the node's last update.
// Upstream: priorities/image_locality.go, internal/cache v1.16.15.
#include "priorities/rules.h"

namespace winnow::priorities {

BindPriority image_locality;

namespace {

constexpr std::int64_t kMebibyte = 1024 * 1024;
constexpr std::int64_t kLeast = 23 * kMebibyte;
constexpr std::int64_t kMost = 1000 * kMebibyte;

std::int64_t score_of(std::int64_t sum) {
  return kMaxClassicScore * (std::clamp(sum, kLeast, kMost) - kLeast) / (kMost - kLeast);
}

/// The image as nodes report it: ":latest" where there is no tag. Other spellings are other images.
std::string normalized(const std::string& image) {
  const std::size_t colon = image.rfind(':');
  const std::size_t slash = image.rfind('/');
  const bool has_tag = colon != std::string::npos && (slash == std::string::npos || colon > slash);
  return has_tag ? image : image + ":latest";
}

class ImageLocality final : public PerNode<ImageLocality> {
 public:
  explicit ImageLocality(std::vector<std::int64_t> sums) : sums_(std::move(sums)) {}
  std::int64_t score(NodeId node) const { return score_of(sums_[node]); }

 private:
  const std::vector<std::int64_t> sums_;  // By node.
};

}  // namespace

BoundPriority image_locality(const Request& request, const Arguments&) {
  const View& view = request.view;
  std::vector<std::int64_t> sums;
  for (const Container& container : request.pod.spec.containers) {
    const ImageSpread image = view.image(normalized(container.image));
    if (image.nodes.empty()) continue;
    const double spread = static_cast<double>(image.nodes.size()) / static_cast<double>(view.node_count());
    sums.resize(view.capacity(), 0);
    for (const NodeId node : image.nodes)
      sums[node] = wrap_add(sums[node], wrap_truncate(static_cast<double>(image.size) * spread));
  }
  if (sums.empty()) return nullptr;
  return std::make_unique<ImageLocality>(std::move(sums));
}

}  // namespace winnow::priorities
