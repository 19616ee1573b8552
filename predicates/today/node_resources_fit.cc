// NodeResourcesFit as a filter: the node has room for the pod's requests beside those of its pods. A resource
// that the pod does not request is not checked, even if it is overcommitted. A request larger than the node's
// allocatable makes the node unresolvable. PreFilter neither refuses nor skips a pod.
// Upstream goes through scalar resources in the order of a map; here they come by name. A resource that a
// DeviceClass provides is checked on the nodes that offer it alone: elsewhere DynamicResources looks for
// devices.
// Upstream: pkg/scheduler/framework/plugins/noderesources/fit.go v1.37.0.
#include "cluster/api/resource_name.h"
#include "cluster/rule/arguments.h"
#include "predicates/fits_amounts.h"

namespace winnow::predicates::today {

BindPredicate node_resources_fit;
MakeTrial try_node_resources_fit;

namespace {

bool is_ignored(const std::string& resource, const NodeResourcesFitArgs& args) {
  if (!is_extended_resource(resource)) return false;
  return std::ranges::contains(args.ignored_resources, resource) ||
         std::ranges::contains(args.ignored_resource_groups, resource.substr(0, resource.find('/')));
}

class NodeResourcesFit final : public FitsAmounts<NodeResourcesFit> {
 public:
  NodeResourcesFit(const Request& request, const PodRequests& requests, const NodeResourcesFitArgs& args)
      : FitsAmounts(request) {
    const View& view = request.view;
    add("Too many pods", against(view, kPods, 1));
    want("cpu", against(view, kCpu, requests.milli_cpu));
    want("memory", against(view, kMemory, requests.memory));
    want("ephemeral-storage", against(view, kEphemeral, requests.ephemeral_storage));
    for (const auto& [name, wanted] : requests.scalars)
      if (!is_ignored(name, args)) want(name, against(request, name, wanted));
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

NodeResourcesFit bound(const Request& request, const Arguments& arguments) {
  static const NodeResourcesFitArgs kDefaults;
  const auto* const given = std::get_if<NodeResourcesFitArgs>(&arguments);
  return NodeResourcesFit(request, pod_requests(request.pod, request.accounting, /*with_status=*/false),
                          given ? *given : kDefaults);
}

}  // namespace

std::unique_ptr<const Predicate> node_resources_fit(const Request& request, const Arguments& arguments) {
  return std::make_unique<NodeResourcesFit>(bound(request, arguments));
}

std::unique_ptr<Trial> try_node_resources_fit(const Request& request, const Arguments& arguments) {
  return bound(request, arguments).trial(request);
}

}  // namespace winnow::predicates::today
