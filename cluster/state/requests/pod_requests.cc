#include "cluster/state/requests/pod_requests.h"

#include "cluster/state/requests/pod_requests_v116.h"
#include "cluster/state/requests/request_list.h"
#include "cluster/state/requests/request_sum.h"

namespace winnow {
namespace {

/// The default requests for scoring. A pod with pod-level requests gets a default only for a resource that
/// the pod does not name at all.
/// Upstream: pkg/scheduler/framework/types.go getNonMissingContainerRequests v1.37.0.
ResourceList missing_requests(const Pod& pod, const ResourceList& requests) {
  ResourceList defaults = default_requests();
  if (has_pod_level_requests(pod))
    std::erase_if(defaults, [&](const auto& entry) { return requests.contains(entry.first); });
  return defaults;
}

PodRequests today_requests(const Pod& pod, bool with_status) {
  const ResourceList requests = pod_request_list(pod, {.with_status = with_status});
  RequestSum sum;
  sum.add(requests);
  PodRequests result = sum.sum();
  const ResourceList defaults = missing_requests(pod, requests);
  const ResourceList nonzero =
      defaults.empty() ? requests : pod_request_list(pod, {.with_status = with_status, .defaults = defaults});
  result.nonzero_milli_cpu = amount_of(nonzero, "cpu");
  result.nonzero_memory = amount_of(nonzero, "memory");
  return result;
}

bool names_compute(const ResourceRequirements& resources) {
  const auto positive = [](const ResourceList& list, const char* name) {
    const auto it = list.find(name);
    return it != list.end() && it->second > Quantity();
  };
  for (const ResourceList* list : {&resources.requests, &resources.limits})
    if (positive(*list, "cpu") || positive(*list, "memory")) return true;
  return false;
}

}  // namespace

PodRequests pod_requests(const Pod& pod, Accounting accounting, bool with_status) {
  if (accounting == Accounting::kToday) return today_requests(pod, with_status);
  return v116_requests(pod, accounting == Accounting::kV116WithOverhead, /*runs=*/with_status);
}

PodLimits pod_limits(const Pod& pod, Accounting accounting) {
  if (accounting != Accounting::kToday) return v116_limits(pod);
  const ResourceList limits = pod_limit_list(pod);
  return {amount_of(limits, "cpu"), amount_of(limits, "memory")};
}

bool is_best_effort(const Pod& pod, Accounting accounting) {
  for (const auto* list : {&pod.spec.containers, &pod.spec.init_containers})
    for (const Container& c : *list)
      if (names_compute(c.resources)) return false;
  return !(accounting == Accounting::kToday && pod.spec.resources && names_compute(*pod.spec.resources));
}

}  // namespace winnow
