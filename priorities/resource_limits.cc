// ResourceLimitsPriority: 1 for a node whose allocatable reaches the pod's cpu limit or its memory limit, and
// 0 for others. A limit of 0 is no limit. The requests of other pods do not matter.
// Upstream: priorities/resource_limits.go v1.16.15.
#include "priorities/rules.h"

namespace winnow::priorities {

BindPriority resource_limits;

namespace {

class ResourceLimits final : public PerNode<ResourceLimits> {
 public:
  ResourceLimits(const View& view, PodLimits limits)
      : limits_(limits),
        cpu_(view.column(&NodeTable::allocatable_cpu)),
        memory_(view.column(&NodeTable::allocatable_memory)) {}
  std::int64_t score(NodeId node) const {
    return is_met(limits_.milli_cpu, cpu_[node]) || is_met(limits_.memory, memory_[node]) ? 1 : 0;
  }

 private:
  static bool is_met(std::int64_t limit, std::int64_t allocatable) {
    return limit != 0 && allocatable != 0 && limit <= allocatable;
  }

  const PodLimits limits_;
  const Column<std::int64_t> cpu_, memory_;
};

}  // namespace

BoundPriority resource_limits(const Request& request, const Arguments&) {
  return std::make_unique<ResourceLimits>(request.view, pod_limits(request.pod, request.accounting));
}

}  // namespace winnow::priorities
