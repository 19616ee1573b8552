#include "priorities/images.h"

namespace winnow::priorities {
namespace {

constexpr std::int64_t kLeast = 23 * 1024 * 1024;

/// The image's name as nodes report it, with a tag. A colon before the last slash belongs to a port.
std::string normalized(std::string_view image) {
  const std::size_t colon = image.rfind(':');
  const std::size_t slash = image.rfind('/');
  const bool has_tag = colon != std::string_view::npos && (slash == std::string_view::npos || colon > slash);
  return std::string(image) + (has_tag ? "" : ":latest");
}

}  // namespace

Images::Images(const View& view, std::span<const std::string_view> images, std::int64_t most,
               std::int64_t max_score)
    : most_(most), max_score_(max_score) {
  for (const std::string_view name : images) {
    const ImageSpread image = view.image(normalized(name));
    if (image.nodes.empty()) continue;
    const double spread = static_cast<double>(image.nodes.size()) / static_cast<double>(view.node_count());
    sums_.resize(view.capacity(), 0);
    for (const NodeId node : image.nodes)
      sums_[node] = wrap_add(sums_[node], wrap_truncate(static_cast<double>(image.size) * spread));
  }
}

std::int64_t Images::score(NodeId node) const {
  if (sums_.empty() || sums_[node] < kLeast) return 0;
  return max_score_ * (std::min(sums_[node], most_) - kLeast) / (most_ - kLeast);
}

}  // namespace winnow::priorities
