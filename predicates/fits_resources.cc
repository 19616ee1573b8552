// PodFitsResources: the node has room for the pod's requests beside those of its pods. For a pod that
// requests nothing only the number of pods is checked. For any other pod cpu, memory and ephemeral storage
// are all checked, even those that it does not request.
// Upstream: predicates.go PodFitsResources v1.16.15.
#include "predicates/fits_amounts.h"

namespace winnow::predicates {
namespace {

class FitsResources final : public FitsAmounts<FitsResources> {
 public:
  FitsResources(const Request& request, const PodRequests& requests) : FitsAmounts(request) {
    const View& view = request.view;
    add("Insufficient pods", against(view, kPods, 1));
    if (requests.asks_for_nothing()) return;
    add("Insufficient cpu", against(view, kCpu, requests.milli_cpu));
    add("Insufficient memory", against(view, kMemory, requests.memory));
    add("Insufficient ephemeral-storage", against(view, kEphemeral, requests.ephemeral_storage));
    for (const auto& [name, wanted] : requests.scalars)
      add("Insufficient " + name, against(view, name, wanted));
  }

  static bool lacks(std::int64_t wanted, std::int64_t allocatable, std::int64_t requested) {
    return allocatable < wrap_add(wanted, requested);
  }
};

}  // namespace

std::unique_ptr<const Predicate> fits_resources(const Request& request, const Arguments&) {
  return std::make_unique<FitsResources>(
      request, pod_requests(request.pod, request.accounting, /*with_status=*/false));
}

}  // namespace winnow::predicates
