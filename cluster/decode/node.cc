#include "cluster/decode/prefer_avoid_pods.h"
#include "cluster/decode/reader.h"

namespace winnow {

static bool read_fields(const Reader& r, Taint& taint) {
  return r.read("key", taint.key) && r.read("value", taint.value) && r.read("effect", taint.effect);
}

static bool read_fields(const Reader& r, NodeSpec& spec) {
  return r.read("unschedulable", spec.unschedulable) && r.read("taints", spec.taints);
}

static bool read_fields(const Reader& r, NodeCondition& condition) {
  return r.read("type", condition.type) && r.read("status", condition.status);
}

static bool read_fields(const Reader& r, ContainerImage& image) {
  return r.read("names", image.names) && r.read("sizeBytes", image.size_bytes);
}

static bool read_fields(const Reader& r, NodeStatus& status) {
  return r.read("allocatable", status.allocatable) && r.read("capacity", status.capacity) &&
         r.read("conditions", status.conditions) && r.read("images", status.images) &&
         r.read("declaredFeatures", status.declared_features);
}

bool read_fields(const Reader& r, Node& node) {
  if (!r.read("metadata", node.metadata) || !r.read("spec", node.spec) || !r.read("status", node.status))
    return false;
  const auto annotation = node.metadata.annotations.find(kPreferAvoidPods);
  if (annotation != node.metadata.annotations.end())
    if (auto controllers = parse_prefer_avoid_pods(annotation->second))
      node.prefer_avoid_pods = std::move(*controllers);
  return true;
}

bool read_fields(const Reader& r, DeviceClass& device_class) {
  return r.read("metadata", device_class.metadata) && r.within("spec", [&](const Reader& spec) {
    return spec.read("extendedResourceName", device_class.extended_resource_name);
  });
}

}  // namespace winnow
