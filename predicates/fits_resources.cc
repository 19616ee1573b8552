// PodFitsResources: the node has room for the pod's requests beside those of its pods. For a pod that
// requests nothing only the number of pods is checked. For any other pod cpu, memory and ephemeral storage
// are all checked, even those that it does not request. Extended resources that only an extender counts are
// not checked. A resource that a DeviceClass provides is checked as by today's NodeResourcesFit: v1.16 knows
// no devices, and would keep such a pod waiting for ever.
// Upstream: predicates.go PodFitsResources v1.16.15.
#include <algorithm>

#include "cluster/api/resource_name.h"
#include "cluster/rule/arguments.h"
#include "predicates/fits_amounts.h"

namespace winnow::predicates {
namespace {

class FitsResources final : public FitsAmounts<FitsResources> {
 public:
  /// @param ignored  null: no resource is.
  FitsResources(const Request& request, const PodRequests& requests, const IgnoredResources* ignored)
      : FitsAmounts(request) {
    const View& view = request.view;
    add("Insufficient pods", against(view, kPods, 1));
    if (requests.asks_for_nothing()) return;
    add("Insufficient cpu", against(view, kCpu, requests.milli_cpu));
    add("Insufficient memory", against(view, kMemory, requests.memory));
    add("Insufficient ephemeral-storage", against(view, kEphemeral, requests.ephemeral_storage));
    for (const auto& [name, wanted] : requests.scalars)
      if (!ignored || !is_extended_resource(name) || !std::ranges::contains(ignored->names, name))
        add("Insufficient " + name, against(request, name, wanted));
  }

  static bool lacks(std::int64_t wanted, std::int64_t allocatable, std::int64_t requested) {
    return allocatable < wrap_add(wanted, requested);
  }
};

FitsResources bound_to(const Request& request, const Arguments& arguments) {
  return FitsResources(request, pod_requests(request.pod, request.accounting, /*with_status=*/false),
                       std::get_if<IgnoredResources>(&arguments));
}

}  // namespace

std::unique_ptr<const Predicate> fits_resources(const Request& request, const Arguments& arguments) {
  return std::make_unique<FitsResources>(bound_to(request, arguments));
}

std::unique_ptr<Trial> try_fits_resources(const Request& request, const Arguments& arguments) {
  return bound_to(request, arguments).trial(request);
}

}  // namespace winnow::predicates
