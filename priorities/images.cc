#include "priorities/images.h"

#include "cluster/api/pod.h"
#include "cluster/go_math.h"
#include "priorities/records.h"

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

// ImageLocalityPriority: prefers nodes that have the images of the pod's containers (not of init containers),
// by their size. The sum counts from 23 MiB to 1000 MiB.
// Upstream: priorities/image_locality.go, internal/cache v1.16.15.

BindPriority image_locality;

BoundPriority image_locality(const Request& request, const Arguments&) {
  std::vector<std::string_view> images;
  for (const Container& container : request.pod.spec.containers) images.push_back(container.image);
  auto rule = std::make_unique<Images>(request.view, images, Images::kMostOfOne, kMaxClassicScore);
  if (rule->are_nowhere()) return nullptr;
  return rule;
}

}  // namespace winnow::priorities

namespace winnow::priorities::today {

// ImageLocality: prefers nodes that have the images of the pod's containers, init containers and image
// volumes, by their size. The sum counts from 23 MiB, up to 1000 MiB for each image that the pod names. No
// pod is skipped.
// Upstream: pkg/scheduler/framework/plugins/imagelocality/image_locality.go, backend/cache/cache.go v1.37.0.

BindPriority image_locality;

BoundPriority image_locality(const Request& request, const Arguments&) {
  const PodSpec& pod = request.pod.spec;
  std::vector<std::string_view> images;
  for (const auto* list : {&pod.init_containers, &pod.containers})
    for (const Container& container : *list) images.push_back(container.image);
  for (const Volume& volume : pod.volumes)
    if (volume.source == VolumeSource::kImage) images.push_back(volume.id);
  return std::make_unique<Images>(
      request.view, images, Images::kMostOfOne * static_cast<std::int64_t>(images.size()), kMaxNodeScore);
}

}  // namespace winnow::priorities::today

namespace winnow::priorities {

// The records.

namespace {

constexpr Record kImagesRecords[] = {
    {.name = "ImageLocalityPriority",
     .origin = RuleOrigin::kClassic,
     .bind = image_locality,
     .needs = needs::kNothing,
     .by_default = AtGates::kAllGates},
    {.name = "ImageLocality",
     .origin = RuleOrigin::kToday,
     .bind = today::image_locality,
     .needs = needs::kNothing,
     .may_skip = false,
     .releases = {{.release = Release::k1_18, .points = points::kScore, .weight = 1}}},
};

}  // namespace

Records images_records;

std::span<const Record> images_records() { return kImagesRecords; }

}  // namespace winnow::priorities
