#include "priorities/images.h"

#include <algorithm>

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

/// The images that a node has, with their size there, and how many nodes have them.
std::unique_ptr<const CauseFinder> find_images(const View& view,
                                               const std::vector<std::string_view>& images) {
  struct Told {
    Cause fact;
    std::vector<NodeId> nodes;  ///< Sorted.
  };
  std::vector<Told> all;
  for (const std::string_view name : images) {
    ImageSpread image = view.image(normalized(name));
    if (image.nodes.empty()) continue;
    std::ranges::sort(image.nodes);
    Cause fact{"image"};
    fact.with("image", std::string(name)).with("size", amount_text("", image.size));
    fact.with("nodes", static_cast<std::int64_t>(image.nodes.size()));
    all.push_back({std::move(fact), std::move(image.nodes)});
  }
  return make_cause_finder([all = std::move(all)](NodeId node, std::vector<Cause>& facts) {
    for (const Told& one : all)
      if (std::ranges::binary_search(one.nodes, node)) facts.push_back(one.fact);
  });
}

std::vector<std::string_view> images_of_containers(const Pod& pod) {
  std::vector<std::string_view> images;
  for (const Container& container : pod.spec.containers) images.push_back(container.image);
  return images;
}

std::unique_ptr<const CauseFinder> find_images_of_containers(const Request& request, const Arguments&) {
  return find_images(request.view, images_of_containers(request.pod));
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
  const std::vector<std::string_view> images = images_of_containers(request.pod);
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

namespace {

std::vector<std::string_view> images_of(const PodSpec& pod) {
  std::vector<std::string_view> images;
  for (const auto* list : {&pod.init_containers, &pod.containers})
    for (const Container& container : *list) images.push_back(container.image);
  for (const Volume& volume : pod.volumes)
    if (volume.source == VolumeSource::kImage) images.push_back(volume.id);
  return images;
}

std::unique_ptr<const CauseFinder> find_images_of_pod(const Request& request, const Arguments&) {
  return find_images(request.view, images_of(request.pod.spec));
}

}  // namespace

BoundPriority image_locality(const Request& request, const Arguments&) {
  const std::vector<std::string_view> images = images_of(request.pod.spec);
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
     .reads = Reads::kNodes,
     .made_by = find_images_of_containers,
     .by_default = AtGates::kAllGates},
    {.name = "ImageLocality",
     .origin = RuleOrigin::kToday,
     .bind = today::image_locality,
     .needs = needs::kNothing,
     .reads = Reads::kNodes,
     .made_by = today::find_images_of_pod,
     .may_skip = false,
     .releases = {{.release = Release::k1_18, .points = points::kScore, .weight = 1}}},
};

}  // namespace

Records images_records;

std::span<const Record> images_records() { return kImagesRecords; }

}  // namespace winnow::priorities
