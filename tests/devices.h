// Devices for tests, as short as they read: slices of GPUs, classes and claims.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cluster/api/device.h"
#include "cluster/api/pod.h"

namespace winnow::test {

/// A slice of the driver d with devices gpu-0, gpu-1, … of one model, in a pool named after the node.
inline ResourceSlice gpus_of(const std::string& node, int count, const std::string& model = "a10") {
  ResourceSlice slice{
      .metadata = {.name = "gpus-" + node}, .driver = "d", .pool = {node, 1, 1}, .node_name = node};
  for (int i = 0; i < count; ++i) {
    Device& device = slice.devices.emplace_back();
    device.name = "gpu-" + std::to_string(i);
    device.attributes["model"] = model;
  }
  return slice;
}

inline DeviceRequestBody of_class(const std::string& name, std::int64_t count = 1) {
  return {.device_class_name = name, .allocation_mode = "ExactCount", .count = count};
}

inline ResourceClaim claim_named(const std::string& name, std::vector<ClaimRequest> requests) {
  ResourceClaim claim{.metadata = {.name = name, .namespace_ = "default", .uid = "uid-" + name}};
  claim.spec.requests = std::move(requests);
  return claim;
}

/// A claim of one request r.
inline ResourceClaim simple_claim(const std::string& name, std::int64_t count = 1,
                                  const std::string& of = "gpu") {
  return claim_named(name, {{.name = "r", .exactly = of_class(of, count)}});
}

/// The pod with these claims, by their names.
inline Pod claiming(Pod pod, const std::vector<std::string>& claims) {
  for (const std::string& name : claims)
    pod.spec.resource_claims.push_back({.name = name, .resource_claim_name = name});
  return pod;
}

}  // namespace winnow::test
