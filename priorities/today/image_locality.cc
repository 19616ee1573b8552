// ImageLocality: prefers nodes that have the images of the pod's containers, init containers and image
// volumes, by their size. The sum counts from 23 MiB, up to 1000 MiB for each image that the pod names. No
// pod is skipped.
// Upstream: pkg/scheduler/framework/plugins/imagelocality/image_locality.go, backend/cache/cache.go v1.37.0.
#include "priorities/images.h"

namespace winnow::priorities::today {

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
