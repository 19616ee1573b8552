#include "cluster/rule/device_requests.h"

#include <optional>

#include "cluster/state/state.h"

namespace winnow {
namespace {

constexpr std::string_view kClassPrefix = "deviceclass.resource.kubernetes.io/";

bool is_newer(const DeviceClass& one, const DeviceClass& other) {
  return one.metadata.creation_timestamp > other.metadata.creation_timestamp;
}

}  // namespace

const DeviceClass* device_class_of(const Objects& objects, std::string_view resource) {
  const Store<DeviceClass>& classes = objects.of<DeviceClass>();
  if (resource.starts_with(kClassPrefix)) {
    const auto named = classes.find(resource.substr(kClassPrefix.size()));
    return named == classes.end() ? nullptr : &named->second;
  }
  const DeviceClass* newest = nullptr;
  for (const auto& [name, one] : classes)
    if (one.extended_resource_name == resource && (!newest || is_newer(one, *newest))) newest = &one;
  return newest;
}

std::vector<ExtendedResourceRequest> device_requests(const State& state, const Pod& pod) {
  std::vector<ExtendedResourceRequest> found;
  const Accounting accounting = state.options().accounting;
  if (accounting != Accounting::kToday || state.objects.of<DeviceClass>().empty()) return found;
  for (const auto& [resource, amount] : pod_requests(pod, accounting, /*with_status=*/false).scalars)
    if (const DeviceClass* const by = amount > 0 ? device_class_of(state.objects, resource) : nullptr)
      found.push_back({resource, by->metadata.name});
  return found;
}

std::string to_text(const ExtendedResourceRequest& request) {
  return "DeviceClass " + request.device_class + " provides " + request.resource;
}

}  // namespace winnow
