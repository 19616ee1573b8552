// RequestedToCapacityRatioPriority, and any priority made by the argument requestedToCapacityRatioArguments:
// how much of each resource would be used, as a percentage, read off a line through the points of a shape.
// The score is the weighted mean over the resources, those that score 0 left out, rounded half away from
// zero. Without the argument: cpu and memory alike, from 10 at 0 % down to 0 at 100 %. On a node of 4 cpu
// with 1 used, a pod of 1 cpu: 100 - (4-2)*100/4 = 50 %, 10 + (0-10)*(50-0)/(100-0) = 5. Upstream:
// priorities/requested_to_capacity_ratio.go, resource_allocation.go v1.16.15.
#include <cmath>

#include "cluster/resource_name.h"
#include "priorities/rules.h"

namespace winnow::priorities {

BindPriority requested_to_capacity_ratio;

namespace {

constexpr std::int64_t kFull = 100;

const CapacityRatioShape& default_shape() {
  static const CapacityRatioShape kShape{{{0, kMaxClassicScore}, {kFull, 0}}, {{"cpu", 1}, {"memory", 1}}};
  return kShape;
}

/// The line through the points, level before the first and behind the last.
std::int64_t score_at(const std::vector<CapacityRatioPoint>& points, std::int64_t utilization) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (utilization > points[i].utilization) continue;
    if (i == 0) return points[0].score;
    const CapacityRatioPoint &from = points[i - 1], &to = points[i];
    return from.score +
           (to.score - from.score) * (utilization - from.utilization) / (to.utilization - from.utilization);
  }
  return points.back().score;
}

/// A resource as it would be used on any node. One that nodes do not account for is never there.
struct Use {
  std::optional<Column<std::int64_t>> allocatable, requested;
  std::int64_t pod = 0;
  std::int64_t weight = 1;

  std::int64_t percent(NodeId node) const {
    const std::int64_t capacity = allocatable ? (*allocatable)[node] : 0;
    const std::int64_t amount = requested ? wrap_add((*requested)[node], pod) : 0;
    if (capacity == 0 || amount > capacity) return kFull;
    return wrap_subtract(kFull, wrap_divide(wrap_multiply(wrap_subtract(capacity, amount), kFull), capacity));
  }
};

class RequestedToCapacityRatio final : public PerNode<RequestedToCapacityRatio> {
 public:
  RequestedToCapacityRatio(const Request& request, const CapacityRatioShape& shape) : points_(shape.points) {
    const PodRequests pod = pod_requests(request.pod, request.accounting, /*with_status=*/false);
    for (const CapacityRatioResource& resource : shape.resources) {
      uses_.push_back(use_of(request.view, pod, resource.name));
      uses_.back().weight = resource.weight;
    }
  }

  std::int64_t score(NodeId node) const {
    std::int64_t sum = 0, weights = 0;
    for (const Use& use : uses_) {
      const std::int64_t score = score_at(points_, use.percent(node));
      if (score <= 0) continue;
      sum = wrap_add(sum, wrap_multiply(score, use.weight));
      weights = wrap_add(weights, use.weight);
    }
    if (weights == 0) return 0;
    return wrap_truncate(std::round(static_cast<double>(sum) / static_cast<double>(weights)));
  }

 private:
  static Use use_of(const View& view, const PodRequests& pod, const std::string& name) {
    if (name == "cpu")
      return {view.column(&NodeTable::allocatable_cpu), view.column(&NodeTable::nonzero_cpu),
              pod.nonzero_milli_cpu};
    if (name == "memory")
      return {view.column(&NodeTable::allocatable_memory), view.column(&NodeTable::nonzero_memory),
              pod.nonzero_memory};
    if (name == "ephemeral-storage")
      return {view.column(&NodeTable::allocatable_ephemeral), view.column(&NodeTable::requested_ephemeral),
              pod.ephemeral_storage};
    if (!is_scalar_resource(name)) return {};
    const ScalarColumns columns = view.scalar(name);
    const auto asked = std::ranges::find(pod.scalars, name, &std::pair<std::string, std::int64_t>::first);
    return {columns.allocatable, columns.requested, asked == pod.scalars.end() ? 0 : asked->second};
  }

  const std::vector<CapacityRatioPoint>& points_;  // The configuration's, or the default shape's.
  std::vector<Use> uses_;
};

}  // namespace

BoundPriority requested_to_capacity_ratio(const Request& request, const Arguments& arguments) {
  const auto* const given = std::get_if<CapacityRatioShape>(&arguments);
  return std::make_unique<RequestedToCapacityRatio>(request, given ? *given : default_shape());
}

}  // namespace winnow::priorities
