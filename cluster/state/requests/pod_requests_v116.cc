#include "cluster/state/requests/pod_requests_v116.h"

#include <algorithm>

#include "cluster/go_int.h"
#include "cluster/state/requests/request_sum.h"

namespace winnow {
namespace {

std::int64_t cpu_or_default(const ResourceList& list) {
  return list.contains("cpu") ? amount_of(list, "cpu") : kDefaultMilliCpu;
}

std::int64_t memory_or_default(const ResourceList& list) {
  return list.contains("memory") ? amount_of(list, "memory") : kDefaultMemory;
}

std::int64_t overhead_cpu(const ResourceList& overhead, bool runs) {
  if (runs) return amount_of(overhead, "cpu");
  const auto it = overhead.find("cpu");
  return it == overhead.end() ? 0 : it->second.value();
}

}  // namespace

PodRequests v116_requests(const Pod& pod, bool overhead, bool runs) {
  RequestSum v;
  PodRequests& sum = v.sum;
  for (const Container& c : pod.spec.containers) {
    v.add(c.resources.requests);
    sum.nonzero_milli_cpu = wrap_add(sum.nonzero_milli_cpu, cpu_or_default(c.resources.requests));
    sum.nonzero_memory = wrap_add(sum.nonzero_memory, memory_or_default(c.resources.requests));
  }
  for (const Container& c : pod.spec.init_containers) {
    v.raise_to(c.resources.requests);
    sum.nonzero_milli_cpu = std::max(sum.nonzero_milli_cpu, cpu_or_default(c.resources.requests));
    sum.nonzero_memory = std::max(sum.nonzero_memory, memory_or_default(c.resources.requests));
  }
  if (overhead && pod.spec.overhead) {
    v.add(*pod.spec.overhead);
    sum.nonzero_milli_cpu = wrap_add(sum.nonzero_milli_cpu, overhead_cpu(*pod.spec.overhead, runs));
    sum.nonzero_memory = wrap_add(sum.nonzero_memory, amount_of(*pod.spec.overhead, "memory"));
  }
  return sum;
}

PodLimits v116_limits(const Pod& pod) {
  RequestSum v;
  for (const Container& c : pod.spec.containers) v.add(c.resources.limits);
  for (const Container& c : pod.spec.init_containers) v.raise_to(c.resources.limits);
  return {v.sum.milli_cpu, v.sum.memory};
}

}  // namespace winnow
