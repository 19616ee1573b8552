// NodeResourcesBalancedAllocation: prefers nodes where the pod makes the used shares of resources more equal.
// The score is 50 + (50 + with - without)/2, where with and without are the balances with and without the
// pod. A balance is int((1 - deviation)*100). For two resources the deviation is half the difference of their
// shares, for more it is the standard deviation, and for fewer 0. A share is at most 1.
// A resource that the node does not have is left out, and so is a scalar one that the pod does not request. A
// pod that requests none of the resources is skipped. Containers without a request count 0. A resize in the
// pod's status counts.
// Upstream: pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go, resource_allocation.go
// v1.37.0.
#include "cluster/rule/arguments.h"
#include "cluster/state/requests/request_list.h"
#include "cluster/state/requests/request_sum.h"
#include "priorities/resource_use.h"

namespace winnow::priorities::today {

BindPriority node_resources_balanced_allocation;

namespace {

class BalancedAllocation final : public PerNode<BalancedAllocation> {
 public:
  explicit BalancedAllocation(std::vector<ResourceUse> uses) : uses_(std::move(uses)) {}

  std::int64_t score(NodeId node) const {
    Shares with, without;
    int count = 0;
    visit_shares(node, [&](double used, double before) {
      with.add(used);
      without.add(before);
      ++count;
    });
    double deviation_with = 0, deviation_without = 0;
    if (count == 2) {
      deviation_with = std::fabs(with.difference / 2);
      deviation_without = std::fabs(without.difference / 2);
    } else if (count > 2) {
      const double mean_with = with.total / count, mean_without = without.total / count;
      double sum_with = 0, sum_without = 0;
      visit_shares(node, [&](double used, double before) {
        sum_with += (used - mean_with) * (used - mean_with);
        sum_without += (before - mean_without) * (before - mean_without);
      });
      deviation_with = std::sqrt(sum_with / count);
      deviation_without = std::sqrt(sum_without / count);
    }
    const std::int64_t change = wrap_subtract(balance(deviation_with), balance(deviation_without));
    return kMaxNodeScore / 2 + wrap_add(kMaxNodeScore / 2, change) / 2;
  }

 private:
  struct Shares {
    double total = 0, difference = 0;
    void add(double share) {
      total += share;
      difference = share - difference;
    }
  };

  /// Calls visit with the used shares of each resource that the node has, in order: with the pod, without it.
  template <class Visit>
  void visit_shares(NodeId node, const Visit& visit) const {
    for (const ResourceUse& use : uses_) {
      const std::int64_t capacity = use.node.allocatable[node];
      if (capacity == 0) continue;
      const std::int64_t requested = use.node.requested[node];
      visit(share(wrap_add(requested, use.pod), capacity), share(requested, capacity));
    }
  }
  static double share(std::int64_t used, std::int64_t capacity) {
    return std::min(static_cast<double>(used) / static_cast<double>(capacity), 1.0);
  }
  static std::int64_t balance(double deviation) {
    return wrap_truncate((1 - deviation) * static_cast<double>(kMaxNodeScore));
  }

  const std::vector<ResourceUse> uses_;
};

}  // namespace

BoundPriority node_resources_balanced_allocation(const Request& request, const Arguments& arguments) {
  static const BalancedAllocationArgs kDefaults;
  const auto* const given = std::get_if<BalancedAllocationArgs>(&arguments);
  const std::vector<WeighedResource>& resources = given ? given->resources : kDefaults.resources;
  const ResourceList requests = pod_request_list(request.pod, {.with_status = true});
  const auto asks = [&](const WeighedResource& resource) { return amount_of(requests, resource.name) != 0; };
  if (std::ranges::none_of(resources, asks)) return nullptr;
  return std::make_unique<BalancedAllocation>(
      resource_uses(request.view, resources, requests, /*nonzero=*/false));
}

}  // namespace winnow::priorities::today
