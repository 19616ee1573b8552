// The resources of a pod that devices provide.
//
// A DeviceClass may name an extended resource. Then kube-scheduler's DynamicResources looks for devices on
// the nodes that do not offer the resource themselves. So no rule of resources refuses such a node for it.
// Where no rule judges devices, whoever holds a place for a pod or evicts others for it leaves such pods out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace winnow {

class State;
struct DeviceClass;
struct Objects;
struct Pod;

/// The class whose devices provide the resource: the one that names it, or whose own name follows
/// "deviceclass.resource.kubernetes.io/" in it. Of several the newest, then the first by name; null: none.
/// Upstream: k8s.io/dynamic-resource-allocation deviceclass/extendedresourcecache v0.37.0.
const DeviceClass* device_class_of(const Objects& objects, std::string_view resource);

/// A resource that a pod requests, and the class whose devices provide it.
struct ExtendedResourceRequest {
  std::string resource;
  std::string device_class;

  bool operator==(const ExtendedResourceRequest&) const = default;
};

/// The requests of a pod that no rule can judge on a node without the resource, by the resource's name. v1.16
/// to the letter (see Accounting) knows no devices, and has none.
std::vector<ExtendedResourceRequest> device_requests(const State& state, const Pod& pod);

/// "DeviceClass gpu provides nvidia.com/gpu"
std::string to_text(const ExtendedResourceRequest& request);

}  // namespace winnow
