#include "cluster/rule/extended_resource_claim.h"

#include <algorithm>
#include <cstdint>
#include <format>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "cluster/api/pod.h"
#include "cluster/api/resource_name.h"

namespace winnow {
namespace {

/// A container, with its number among all: init containers come first.
struct NumberedContainer {
  const Container* container = nullptr;
  bool ends = false;  ///< It is an init container and no sidecar.
};

std::vector<NumberedContainer> containers_of(const PodSpec& pod) {
  std::vector<NumberedContainer> all;
  for (const Container& one : pod.init_containers) all.push_back({&one, one.restart_policy != "Always"});
  for (const Container& one : pod.containers) all.push_back({&one, false});
  return all;
}

/// The whole amount that a container asks for; 0: none, or not a whole one.
std::int64_t whole_amount(const Container& container, const std::string& resource) {
  const ResourceList& requests = container.resources.requests;
  const auto found = requests.find(resource);
  if (found == requests.end()) return 0;
  const std::int64_t units = found->second.value();
  return Quantity::of_units(units) == found->second ? units : 0;
}

/// @param reusable  what later containers ask for; an empty one asks for nothing.
std::optional<ClaimRequest> request_of(const NumberedContainer& one, std::size_t number,
                                       const ExtendedResourceRequest& wanted,
                                       std::span<const std::optional<ClaimRequest>> reusable) {
  std::int64_t amount = whole_amount(*one.container, wanted.resource);
  if (amount == 0) return std::nullopt;
  for (const auto& other : reusable) {
    if (!other) continue;
    amount -= other->exactly->count;
    if (amount <= 0) return std::nullopt;
  }
  const ResourceList& requests = one.container->resources.requests;
  const auto place = std::distance(requests.begin(), requests.find(wanted.resource));
  ClaimRequest request;
  request.name = std::format("container-{}-request-{}", number, place);
  request.exactly.emplace();
  request.exactly->device_class_name = wanted.device_class;
  request.exactly->allocation_mode = "ExactCount";
  request.exactly->count = amount;
  return request;
}

}  // namespace

bool may_be_provided_by_devices(std::string_view resource) {
  return is_extended_resource(resource) || resource.starts_with("deviceclass.resource.kubernetes.io/");
}

std::vector<ClaimRequest> extended_resource_requests(const PodSpec& pod,
                                                     const std::vector<ExtendedResourceRequest>& resources) {
  const std::vector<NumberedContainer> containers = containers_of(pod);
  std::vector<ClaimRequest> all;
  for (const ExtendedResourceRequest& wanted : resources) {
    std::vector<std::optional<ClaimRequest>> lasting(containers.size());
    for (std::size_t i = 0; i < containers.size(); ++i)
      if (!containers[i].ends) lasting[i] = request_of(containers[i], i, wanted, {});
    std::optional<ClaimRequest> largest;
    for (std::size_t i = 0; i < containers.size(); ++i) {
      if (!containers[i].ends) continue;
      auto request = request_of(containers[i], i, wanted, std::span(lasting).subspan(i));
      if (request && (!largest || largest->exactly->count < request->exactly->count))
        largest = std::move(request);
    }
    if (largest) all.push_back(std::move(*largest));
    for (auto& request : lasting)
      if (request) all.push_back(std::move(*request));
  }
  std::ranges::sort(all, {}, &ClaimRequest::name);
  return all;
}

}  // namespace winnow
