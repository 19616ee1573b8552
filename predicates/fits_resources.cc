// PodFitsResources: what the pod asks for fits beside what the node's pods have asked for.
// Upstream: predicates.go PodFitsResources v1.16.15. A pod that asks for nothing is only counted; one that
// asks for anything is held against cpu, memory and ephemeral storage, also those that it does not ask for.
#include "predicates/fits_amounts.h"

namespace winnow::predicates {
namespace {

class FitsResources final : public FitsAmounts<FitsResources> {
 public:
  FitsResources(const View& view, const PodRequests& requests) {
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
      request.view, pod_requests(request.pod, request.accounting, /*with_status=*/false));
}

}  // namespace winnow::predicates
