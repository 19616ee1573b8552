// NodeResourcesFit, where it filters: what the pod asks for fits beside what the node's pods count. A
// resource that the pod does not ask for is not looked at, however overcommitted it is; one that it asks more
// of than the node has at all makes the node unresolvable. Upstream goes through scalar resources in a map's
// order, here they come by name. Upstream: pkg/scheduler/framework/plugins/noderesources/fit.go v1.37.0. Its
// PreFilter neither refuses nor skips. A scalar resource that a DeviceClass stands for is left to
// kube-scheduler's DynamicResources there; Winnow knows no device classes.
#include "cluster/resource_name.h"
#include "predicates/fits_amounts.h"

namespace winnow::predicates::today {

BindPredicate node_resources_fit;

namespace {

bool is_ignored(const std::string& resource, const NodeResourcesFitArgs& args) {
  if (!is_extended_resource(resource)) return false;
  return std::ranges::contains(args.ignored_resources, resource) ||
         std::ranges::contains(args.ignored_resource_groups, resource.substr(0, resource.find('/')));
}

class NodeResourcesFit final : public FitsAmounts<NodeResourcesFit> {
 public:
  NodeResourcesFit(const View& view, const PodRequests& requests, const NodeResourcesFitArgs& args) {
    add("Too many pods", against(view, kPods, 1));
    want("cpu", against(view, kCpu, requests.milli_cpu));
    want("memory", against(view, kMemory, requests.memory));
    want("ephemeral-storage", against(view, kEphemeral, requests.ephemeral_storage));
    for (const auto& [name, wanted] : requests.scalars)
      if (!is_ignored(name, args)) want(name, against(view, name, wanted));
  }

  static bool lacks(std::int64_t wanted, std::int64_t allocatable, std::int64_t requested) {
    return wanted > wrap_subtract(allocatable, requested);
  }

 private:
  void want(const std::string& resource, Amount amount) {
    amount.needs_size = true;
    if (amount.wanted > 0) add("Insufficient " + resource, amount);
  }
};

}  // namespace

std::unique_ptr<const Predicate> node_resources_fit(const Request& request, const Arguments& arguments) {
  static const NodeResourcesFitArgs kDefaults;
  const auto* const given = std::get_if<NodeResourcesFitArgs>(&arguments);
  return std::make_unique<NodeResourcesFit>(
      request.view, pod_requests(request.pod, request.accounting, /*with_status=*/false),
      given ? *given : kDefaults);
}

}  // namespace winnow::predicates::today
