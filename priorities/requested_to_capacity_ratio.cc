// RequestedToCapacityRatioPriority, and the priority of the argument requestedToCapacityRatioArguments. Each
// resource's score is read off a line through the points of a shape, at the percentage that would be used.
// The node's score is the weighted mean, without resources that score 0, rounded half away from zero. Without
// the argument cpu and memory weigh the same, and the line falls from 10 at 0 % to 0 at 100 %.
// Example: a pod of 1 cpu on a node of 4 cpu, with 1 used. 100 - (4-2)*100/4 = 50 %, and
// 10 + (0-10)*(50-0)/(100-0) = 5.
// Upstream: priorities/requested_to_capacity_ratio.go, resource_allocation.go v1.16.15.
#include "cluster/rule/arguments.h"
#include "priorities/resource_use.h"

namespace winnow::priorities {

BindPriority requested_to_capacity_ratio;

namespace {

constexpr std::int64_t kFull = 100;

const CapacityRatioShape& default_shape() {
  static const CapacityRatioShape kShape{{{0, kMaxClassicScore}, {kFull, 0}}, {{"cpu", 1}, {"memory", 1}}};
  return kShape;
}

class RequestedToCapacityRatio final : public ShapedMean<RequestedToCapacityRatio> {
 public:
  using ShapedMean::ShapedMean;
  /// A resource that the node does not have counts as used up.
  static std::optional<std::int64_t> percent(const ResourceUse& use, NodeId node) {
    const std::int64_t capacity = use.node.allocatable[node];
    const std::int64_t used = use.used(node);
    if (capacity == 0 || used > capacity) return kFull;
    return wrap_subtract(kFull, share(wrap_subtract(capacity, used), capacity, kFull));
  }
};

/// The pod's request of a resource.
std::int64_t asked(const PodRequests& pod, const std::string& resource) {
  if (resource == "cpu") return pod.nonzero_milli_cpu;
  if (resource == "memory") return pod.nonzero_memory;
  if (resource == "ephemeral-storage") return pod.ephemeral_storage;
  const auto asked = std::ranges::find(pod.scalars, resource, &std::pair<std::string, std::int64_t>::first);
  return asked == pod.scalars.end() ? 0 : asked->second;
}

}  // namespace

BoundPriority requested_to_capacity_ratio(const Request& request, const Arguments& arguments) {
  const auto* const given = std::get_if<CapacityRatioShape>(&arguments);
  const CapacityRatioShape& shape = given ? *given : default_shape();
  const PodRequests pod = pod_requests(request.pod, request.accounting, /*with_status=*/false);
  std::vector<ResourceUse> uses;
  for (const auto& [name, weight] : shape.resources)
    uses.push_back({resource_columns(request.view, name, /*nonzero=*/true), asked(pod, name), weight});
  return std::make_unique<RequestedToCapacityRatio>(shape.points, std::move(uses));
}

}  // namespace winnow::priorities
