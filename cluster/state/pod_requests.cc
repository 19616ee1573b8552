#include "cluster/state/pod_requests.h"

#include <algorithm>
#include <span>

#include "cluster/go_int.h"
#include "cluster/resource_name.h"

namespace winnow {
namespace {

constexpr std::int64_t kDefaultMilliCpu = 100;
constexpr std::int64_t kDefaultMemory = 200 * 1024 * 1024;

// ---- v1.16.15: integers, container by container ----

struct V116 {
  PodRequests sum;

  void add(const ResourceList& list) {
    for (const auto& [name, amount] : list) {
      if (name == "cpu") {
        sum.milli_cpu = wrap_add(sum.milli_cpu, amount.milli_value());
      } else if (name == "memory") {
        sum.memory = wrap_add(sum.memory, amount.value());
      } else if (name == "ephemeral-storage") {
        sum.ephemeral_storage = wrap_add(sum.ephemeral_storage, amount.value());
      } else if (name != "pods" && is_scalar_resource(name)) {
        std::int64_t& sum_of = scalar(name);
        sum_of = wrap_add(sum_of, amount.value());
      }
    }
  }

  void raise_to(const ResourceList& list) {
    for (const auto& [name, amount] : list) {
      if (name == "cpu") {
        sum.milli_cpu = std::max(sum.milli_cpu, amount.milli_value());
      } else if (name == "memory") {
        sum.memory = std::max(sum.memory, amount.value());
      } else if (name == "ephemeral-storage") {
        sum.ephemeral_storage = std::max(sum.ephemeral_storage, amount.value());
      } else if (is_scalar_resource(name) && amount.value() > find_scalar(name)) {
        // Unlike add(), an init container's 0 does not make the pod ask for the resource.
        scalar(name) = amount.value();
      }
    }
  }

  std::int64_t find_scalar(const std::string& name) const {
    const auto it = std::ranges::find(sum.scalars, name, &std::pair<std::string, std::int64_t>::first);
    return it == sum.scalars.end() ? 0 : it->second;
  }

  std::int64_t& scalar(const std::string& name) {
    const auto it =
        std::ranges::lower_bound(sum.scalars, name, {}, &std::pair<std::string, std::int64_t>::first);
    if (it != sum.scalars.end() && it->first == name) return it->second;
    return sum.scalars.emplace(it, name, 0)->second;
  }
};

std::int64_t cpu_or_default(const ResourceList& list) {
  const auto it = list.find("cpu");
  return it == list.end() ? kDefaultMilliCpu : it->second.milli_value();
}

std::int64_t memory_or_default(const ResourceList& list) {
  const auto it = list.find("memory");
  return it == list.end() ? kDefaultMemory : it->second.value();
}

PodRequests v116_requests(const Pod& pod) {
  V116 v;
  for (const Container& c : pod.spec.containers) {
    v.add(c.resources.requests);
    v.sum.nonzero_milli_cpu = wrap_add(v.sum.nonzero_milli_cpu, cpu_or_default(c.resources.requests));
    v.sum.nonzero_memory = wrap_add(v.sum.nonzero_memory, memory_or_default(c.resources.requests));
  }
  for (const Container& c : pod.spec.init_containers) {
    v.raise_to(c.resources.requests);
    v.sum.nonzero_milli_cpu = std::max(v.sum.nonzero_milli_cpu, cpu_or_default(c.resources.requests));
    v.sum.nonzero_memory = std::max(v.sum.nonzero_memory, memory_or_default(c.resources.requests));
  }
  return v.sum;
}

std::int64_t amount_of(const ResourceList& list, std::string_view name, bool in_millis) {
  const auto it = list.find(name);
  if (it == list.end()) return 0;
  return in_millis ? it->second.milli_value() : it->second.value();
}

void add_overhead(PodRequests& sum, const ResourceList& overhead, bool runs) {
  V116 v{std::move(sum)};
  v.add(overhead);
  sum = std::move(v.sum);
  sum.nonzero_milli_cpu = wrap_add(sum.nonzero_milli_cpu, amount_of(overhead, "cpu", /*in_millis=*/runs));
  sum.nonzero_memory = wrap_add(sum.nonzero_memory, amount_of(overhead, "memory", /*in_millis=*/false));
}

// ---- today: exact quantities, resource by resource ----

using Defaults = ResourceList;  // What a container counts for a resource that it does not name.

void add(ResourceList& to, const ResourceList& list) {
  for (const auto& [name, amount] : list) to[name] += amount;
}

void raise_to(ResourceList& to, const ResourceList& list) {
  for (const auto& [name, amount] : list) {
    const auto [it, is_new] = to.emplace(name, amount);
    if (!is_new && it->second < amount) it->second = amount;
  }
}

bool resize_is_infeasible(const Pod& pod) {
  for (const PodCondition& condition : pod.status.conditions)
    if (condition.type == "PodResizePending") return condition.reason == "Infeasible";
  return false;
}

const ContainerStatus* status_of(const Pod& pod, const std::string& container) {
  for (const auto* list : {&pod.status.container_statuses, &pod.status.init_container_statuses})
    for (const ContainerStatus& status : *list)
      if (status.name == container) return &status;
  return nullptr;
}

enum class Source { kSpec, kAllocated, kActuated, kLimits };

/// What one container counts, by its spec, by what its status says of a resize in place, or by its limits.
const ResourceList& container_requests(const Pod& pod, const Container& container, Source source,
                                       bool infeasible) {
  static const ResourceList kNothing;
  if (source == Source::kLimits) return container.resources.limits;
  if (source != Source::kSpec) {
    if (const ContainerStatus* status = status_of(pod, container.name)) {
      if (source == Source::kActuated && status->resources && !status->resources->requests.empty())
        return status->resources->requests;
      if (status->allocated_resources) return *status->allocated_resources;
    }
    if (infeasible) return kNothing;
  }
  return container.resources.requests;
}

/// max(containers + sidecars, for each init container: itself + the sidecars before it).
ResourceList sum_containers(const Pod& pod, Source source, const Defaults& defaults) {
  const bool infeasible = source != Source::kSpec && resize_is_infeasible(pod);
  const auto counted = [&](const Container& container) {
    ResourceList list = container_requests(pod, container, source, infeasible);
    list.insert(defaults.begin(), defaults.end());
    return list;
  };
  ResourceList result, sidecars, peak;
  for (const Container& c : pod.spec.containers) add(result, counted(c));
  for (const Container& c : pod.spec.init_containers) {
    ResourceList now = counted(c);
    if (c.restart_policy == "Always") {
      add(result, now);
      add(sidecars, now);
      now = sidecars;
    } else {
      add(now, sidecars);
    }
    raise_to(peak, now);
  }
  raise_to(result, peak);
  return result;
}

ResourceList aggregate(const Pod& pod, bool with_status, const Defaults& defaults) {
  ResourceList spec = sum_containers(pod, Source::kSpec, defaults);
  if (!with_status) return spec;
  const PodStatus& status = pod.status;
  const bool infeasible = resize_is_infeasible(pod);
  ResourceList result = infeasible ? ResourceList() : std::move(spec);
  if (status.allocated_resources && status.resources && !status.resources->requests.empty()) {
    raise_to(result, status.resources->requests);
    raise_to(result, *status.allocated_resources);
  } else {
    raise_to(result, sum_containers(pod, Source::kActuated, defaults));
    raise_to(result, sum_containers(pod, Source::kAllocated, defaults));
  }
  return result;
}

bool counts_at_pod_level(const std::string& name) {
  return name == "cpu" || name == "memory" || is_hugepage(name);
}

bool has_pod_level_requests(const Pod& pod) {
  return pod.spec.resources && std::ranges::any_of(pod.spec.resources->requests, [](const auto& entry) {
           return counts_at_pod_level(entry.first);
         });
}

void apply_pod_level(ResourceList& result, const Pod& pod, bool with_status) {
  ResourceList level = pod.spec.resources->requests;
  if (with_status && pod.status.resources) {
    if (resize_is_infeasible(pod)) level.clear();
    raise_to(level, pod.status.resources->requests);
    if (pod.status.allocated_resources) raise_to(level, *pod.status.allocated_resources);
  }
  for (const auto& [name, amount] : level)
    if (counts_at_pod_level(name)) result[name] = amount;
}

ResourceList today_list(const Pod& pod, bool with_status, const Defaults& defaults) {
  ResourceList result = aggregate(pod, with_status, defaults);
  if (has_pod_level_requests(pod)) apply_pod_level(result, pod, with_status);
  if (pod.spec.overhead) add(result, *pod.spec.overhead);
  return result;
}

Defaults defaults_for(const Pod& pod, const ResourceList& requests) {
  Defaults defaults;
  const bool pod_level = has_pod_level_requests(pod);
  if (!pod_level || !requests.contains("cpu")) defaults["cpu"] = Quantity::of_millis(kDefaultMilliCpu);
  if (!pod_level || !requests.contains("memory")) defaults["memory"] = Quantity::of_units(kDefaultMemory);
  return defaults;
}

PodRequests today_requests(const Pod& pod, bool with_status) {
  const ResourceList requests = today_list(pod, with_status, {});
  V116 v;
  v.add(requests);
  const Defaults defaults = defaults_for(pod, requests);
  const ResourceList nonzero = defaults.empty() ? requests : today_list(pod, with_status, defaults);
  if (const auto it = nonzero.find("cpu"); it != nonzero.end())
    v.sum.nonzero_milli_cpu = it->second.milli_value();
  if (const auto it = nonzero.find("memory"); it != nonzero.end()) v.sum.nonzero_memory = it->second.value();
  return v.sum;
}

PodLimits v116_limits(const Pod& pod) {
  V116 v;
  for (const Container& c : pod.spec.containers) v.add(c.resources.limits);
  for (const Container& c : pod.spec.init_containers) v.raise_to(c.resources.limits);
  return {v.sum.milli_cpu, v.sum.memory};
}

PodLimits today_limits(const Pod& pod) {
  ResourceList limits = sum_containers(pod, Source::kLimits, {});
  if (pod.spec.resources)
    for (const auto& [name, amount] : pod.spec.resources->limits)
      if (counts_at_pod_level(name)) limits[name] = amount;
  if (pod.spec.overhead)
    for (const auto& [name, amount] : *pod.spec.overhead)
      if (const auto it = limits.find(name); it != limits.end() && it->second != Quantity())
        it->second += amount;
  V116 v;
  v.add(limits);
  return {v.sum.milli_cpu, v.sum.memory};
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
  PodRequests requests = v116_requests(pod);
  if (accounting == Accounting::kV116WithOverhead && pod.spec.overhead)
    add_overhead(requests, *pod.spec.overhead, /*runs=*/with_status);
  return requests;
}

PodLimits pod_limits(const Pod& pod, Accounting accounting) {
  return accounting == Accounting::kToday ? today_limits(pod) : v116_limits(pod);
}

bool is_best_effort(const Pod& pod, Accounting accounting) {
  for (const auto* list : {&pod.spec.containers, &pod.spec.init_containers})
    for (const Container& c : *list)
      if (names_compute(c.resources)) return false;
  return !(accounting == Accounting::kToday && pod.spec.resources && names_compute(*pod.spec.resources));
}

}  // namespace winnow
