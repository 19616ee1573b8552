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
  std::int64_t cpu = 0, memory = 0;
  for (const Container& c : pod.spec.containers) {
    v.add(c.resources.requests);
    cpu = wrap_add(cpu, cpu_or_default(c.resources.requests));
    memory = wrap_add(memory, memory_or_default(c.resources.requests));
  }
  for (const Container& c : pod.spec.init_containers) {
    v.raise_to(c.resources.requests);
    cpu = std::max(cpu, cpu_or_default(c.resources.requests));
    memory = std::max(memory, memory_or_default(c.resources.requests));
  }
  if (overhead && pod.spec.overhead) {
    v.add(*pod.spec.overhead);
    cpu = wrap_add(cpu, overhead_cpu(*pod.spec.overhead, runs));
    memory = wrap_add(memory, amount_of(*pod.spec.overhead, "memory"));
  }
  PodRequests sum = v.sum();
  sum.nonzero_milli_cpu = cpu;
  sum.nonzero_memory = memory;
  return sum;
}

PodLimits v116_limits(const Pod& pod) {
  RequestSum v;
  for (const Container& c : pod.spec.containers) v.add(c.resources.limits);
  for (const Container& c : pod.spec.init_containers) v.raise_to(c.resources.limits);
  const PodRequests sum = v.sum();
  return {sum.milli_cpu, sum.memory};
}

}  // namespace winnow
