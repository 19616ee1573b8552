// ImageLocalityPriority: prefers nodes that have the images of the pod's containers (not of init containers),
// by their size. The sum counts from 23 MiB to 1000 MiB.
// Upstream: priorities/image_locality.go, internal/cache v1.16.15.
#include "priorities/images.h"

namespace winnow::priorities {

BindPriority image_locality;

BoundPriority image_locality(const Request& request, const Arguments&) {
  std::vector<std::string_view> images;
  for (const Container& container : request.pod.spec.containers) images.push_back(container.image);
  auto rule = std::make_unique<Images>(request.view, images, Images::kMostOfOne, kMaxClassicScore);
  if (rule->are_nowhere()) return nullptr;
  return rule;
}

}  // namespace winnow::priorities
