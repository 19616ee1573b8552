// BalancedResourceAllocation: prefers nodes whose used shares of cpu and memory are close to each other. The
// score is int((1 - |cpu share - memory share|) * 10) in float64. It is 0 if either is used up; a resource
// that the node does not have counts as used up.
// Upstream: priorities/balanced_resource_allocation.go v1.16.15 (without volumes, whose gate is off).
#include <cmath>

#include "priorities/rules.h"

namespace winnow::priorities {

BindPriority balanced_resource_allocation;

namespace {

double fraction(UsedShare::Amounts amounts) {
  return amounts.capacity == 0
             ? 1
             : static_cast<double>(amounts.requested) / static_cast<double>(amounts.capacity);
}

class BalancedResourceAllocation final : public PerNode<BalancedResourceAllocation> {
 public:
  explicit BalancedResourceAllocation(const Request& request) : used_(request) {}

  std::int64_t score(NodeId node) const {
    const double cpu = fraction(used_.cpu(node));
    const double memory = fraction(used_.memory(node));
    if (cpu >= 1 || memory >= 1) return 0;
    return wrap_truncate((1 - std::fabs(cpu - memory)) * static_cast<double>(kMaxClassicScore));
  }

 private:
  const UsedShare used_;
};

}  // namespace

BoundPriority balanced_resource_allocation(const Request& request, const Arguments&) {
  return std::make_unique<BalancedResourceAllocation>(request);
}

}  // namespace winnow::priorities
