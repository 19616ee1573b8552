#include "cluster/state/pod_requests.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "cluster/api/generation.h"
#include "cluster/api/resource_name.h"
#include "cluster/go_math.h"

namespace winnow {
namespace {

std::int64_t cpu_or_default(const ResourceList& list) {
  return list.contains("cpu") ? amount_of(list, "cpu") : kDefaultMilliCpu;
}

std::int64_t memory_or_default(const ResourceList& list) {
  return list.contains("memory") ? amount_of(list, "memory") : kDefaultMemory;
}

/// Whether the spec's requests are those of its one container, as with most pods. Then no list is summed up.
bool is_one_container(const PodSpec& spec) {
  return spec.containers.size() == 1 && spec.init_containers.empty() && !spec.resources && !spec.overhead;
}

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
  if (!with_status && is_one_container(pod.spec)) {
    const ResourceList& requests = pod.spec.containers.front().resources.requests;
    RequestSum sum;
    sum.add(requests);
    PodRequests result = sum.sum();
    result.nonzero_milli_cpu = cpu_or_default(requests);
    result.nonzero_memory = memory_or_default(requests);
    return result;
  }
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

/// Whether a status has other amounts than the spec of its container, or of one of that name.
bool differs_from_spec(const ContainerStatus& status, const PodSpec& spec) {
  const auto differs = [&](const Container& container) {
    if (container.name != status.name) return false;
    const ResourceList& requests = container.resources.requests;
    return (status.allocated_resources && *status.allocated_resources != requests) ||
           (status.resources && status.resources->requests && *status.resources->requests != requests);
  };
  return (status.allocated_resources || status.resources) &&
         (std::ranges::any_of(spec.containers, differs) ||
          std::ranges::any_of(spec.init_containers, differs));
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

bool status_counts(const Pod& pod, Accounting accounting) {
  if (accounting != Accounting::kToday) return false;
  const PodStatus& status = pod.status;
  // Each status is compared with each container. Many of them take less time to be added up.
  constexpr std::size_t kMany = 400;
  const std::size_t containers = pod.spec.containers.size() + pod.spec.init_containers.size();
  const std::size_t statuses = status.container_statuses.size() + status.init_container_statuses.size();
  const auto differs = [&](const ContainerStatus& one) { return differs_from_spec(one, pod.spec); };
  return status.allocated_resources || status.resources || containers * statuses > kMany ||
         std::ranges::contains(status.conditions, "PodResizePending", &PodCondition::type) ||
         std::ranges::any_of(status.container_statuses, differs) ||
         std::ranges::any_of(status.init_container_statuses, differs);
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

namespace {

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

// A resize in place has three amounts of a resource: the request in the spec, the amount that the node has
// allocated, and the amount in force. The pod counts the largest. If the node has found the resize
// infeasible, the request in the spec does not count.

namespace {

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

/// The status of each container by its name. The first one counts, and those of init containers come last.
class Statuses {
 public:
  explicit Statuses(const PodStatus& status) {
    for (const auto* list : {&status.container_statuses, &status.init_container_statuses})
      for (const ContainerStatus& one : *list) by_name_.emplace(one.name, &one);
  }

  /// @return null if the container has none.
  const ContainerStatus* find(std::string_view container) const {
    const auto found = by_name_.find(container);
    return found == by_name_.end() ? nullptr : found->second;
  }

 private:
  std::map<std::string_view, const ContainerStatus*> by_name_;
};

enum class Source { kSpec, kAllocated, kActuated, kLimits };

/// The resources of one container: by its spec, by the status of an in-place resize, or by its limits.
const ResourceList& container_requests(const Statuses& statuses, const Container& container, Source source,
                                       bool infeasible) {
  static const ResourceList kNothing;
  if (source == Source::kLimits) return container.resources.limits;
  if (source != Source::kSpec) {
    if (const ContainerStatus* status = statuses.find(container.name)) {
      if (source == Source::kActuated && status->resources && status->resources->requests)
        return *status->resources->requests;
      if (status->allocated_resources) return *status->allocated_resources;
    }
    if (infeasible) return kNothing;
  }
  return container.resources.requests;
}

/// The containers' part of pod_request_list(), before pod-level requests and overhead.
ResourceList sum_containers(const Pod& pod, Source source, const ResourceList& defaults) {
  const bool by_status = source == Source::kAllocated || source == Source::kActuated;
  const bool infeasible = by_status && resize_is_infeasible(pod);
  static const PodStatus kNoStatus;
  const Statuses statuses(by_status ? pod.status : kNoStatus);
  const auto counted = [&](const Container& container) {
    ResourceList list = container_requests(statuses, container, source, infeasible);
    list.insert(defaults.begin(), defaults.end());
    return list;
  };
  ResourceList result, sidecars, peak;
  for (const Container& c : pod.spec.containers) add(result, counted(c));
  // While an init container runs, the sidecars before it run too. What it does not name has been in the peak
  // since its last sidecar came: so only the resources that it names are looked at.
  for (const Container& c : pod.spec.init_containers) {
    const ResourceList own = counted(c);
    const bool stays = c.restart_policy == "Always";
    if (stays) add(result, own);
    for (const auto& [name, amount] : own) {
      Quantity now = amount;
      if (stays)
        now = sidecars[name] += amount;
      else if (const auto before = sidecars.find(name); before != sidecars.end())
        now += before->second;
      const auto [it, is_new] = peak.emplace(name, now);
      if (!is_new && it->second < now) it->second = now;
    }
  }
  raise_to(result, peak);
  return result;
}

ResourceList aggregate(const Pod& pod, bool with_status, const ResourceList& defaults) {
  ResourceList spec = sum_containers(pod, Source::kSpec, defaults);
  if (!with_status) return spec;
  const PodStatus& status = pod.status;
  ResourceList result = resize_is_infeasible(pod) ? ResourceList() : std::move(spec);
  if (status.allocated_resources && status.resources && status.resources->requests) {
    raise_to(result, *status.resources->requests);
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

void apply_pod_level(ResourceList& result, const ResourceList& level) {
  for (const auto& [name, amount] : level)
    if (counts_at_pod_level(name)) result[name] = amount;
}

ResourceList pod_level_requests(const Pod& pod, bool with_status) {
  ResourceList level = pod.spec.resources->requests;
  if (!with_status || !pod.status.resources) return level;
  if (resize_is_infeasible(pod)) level.clear();
  for (const auto* list : {&pod.status.resources->requests, &pod.status.allocated_resources})
    if (*list) raise_to(level, **list);
  return level;
}

}  // namespace

bool has_pod_level_requests(const Pod& pod) {
  return pod.spec.resources && std::ranges::any_of(pod.spec.resources->requests, [](const auto& entry) {
           return counts_at_pod_level(entry.first);
         });
}

ResourceList pod_request_list(const Pod& pod, const RequestOptions& options) {
  ResourceList result = aggregate(pod, options.with_status, options.defaults);
  if (options.with_pod_level && has_pod_level_requests(pod))
    apply_pod_level(result, pod_level_requests(pod, options.with_status));
  if (pod.spec.overhead) add(result, *pod.spec.overhead);
  return result;
}

ResourceList container_request_list(const Pod& pod) { return sum_containers(pod, Source::kSpec, {}); }

ResourceList container_limit_list(const Pod& pod) { return sum_containers(pod, Source::kLimits, {}); }

ResourceList pod_limit_list(const Pod& pod) {
  ResourceList limits = container_limit_list(pod);
  if (pod.spec.resources) apply_pod_level(limits, pod.spec.resources->limits);
  if (pod.spec.overhead)
    for (const auto& [name, amount] : *pod.spec.overhead)
      if (const auto it = limits.find(name); it != limits.end() && it->second != Quantity())
        it->second += amount;
  return limits;
}

ResourceList default_requests() {
  return {{"cpu", Quantity::of_millis(kDefaultMilliCpu)}, {"memory", Quantity::of_units(kDefaultMemory)}};
}

void RequestSum::add(const ResourceList& list) {
  for (const auto& [name, amount] : list) {
    if (name == "cpu") {
      milli_cpu_ = wrap_add(milli_cpu_, amount.milli_value());
    } else if (name == "memory") {
      memory_ = wrap_add(memory_, amount.value());
    } else if (name == "ephemeral-storage") {
      ephemeral_storage_ = wrap_add(ephemeral_storage_, amount.value());
    } else if (name != "pods" && is_scalar_resource(name)) {
      std::int64_t& sum_of = scalars_[name];
      sum_of = wrap_add(sum_of, amount.value());
    }
  }
}

void RequestSum::raise_to(const ResourceList& list) {
  for (const auto& [name, amount] : list) {
    if (name == "cpu") {
      milli_cpu_ = std::max(milli_cpu_, amount.milli_value());
    } else if (name == "memory") {
      memory_ = std::max(memory_, amount.value());
    } else if (name == "ephemeral-storage") {
      ephemeral_storage_ = std::max(ephemeral_storage_, amount.value());
    } else if (is_scalar_resource(name)) {
      const auto known = scalars_.find(name);
      if (amount.value() > (known == scalars_.end() ? 0 : known->second)) scalars_[name] = amount.value();
    }
  }
}

PodRequests RequestSum::sum() const {
  PodRequests sum{.milli_cpu = milli_cpu_, .memory = memory_, .ephemeral_storage = ephemeral_storage_};
  sum.scalars.assign(scalars_.begin(), scalars_.end());
  return sum;
}

std::int64_t amount_of(const ResourceList& list, std::string_view resource) {
  const auto it = list.find(resource);
  if (it == list.end()) return 0;
  return resource == "cpu" ? it->second.milli_value() : it->second.value();
}

namespace {

bool are_plain(const ResourceList& amounts) {
  constexpr std::int64_t kMost = std::int64_t{1} << 53;
  return std::ranges::all_of(amounts, [](const auto& entry) {
    return entry.second >= Quantity() && entry.second <= Quantity::of_units(kMost);
  });
}
bool are_plain(const ResourceRequirements& resources) {
  return are_plain(resources.requests) && are_plain(resources.limits);
}

}  // namespace

bool has_plain_amounts(const PodSpec& spec) {
  for (const auto* const list : {&spec.containers, &spec.init_containers})
    for (const Container& one : *list)
      if (!are_plain(one.resources)) return false;
  return (!spec.overhead || are_plain(*spec.overhead)) && (!spec.resources || are_plain(*spec.resources));
}

}  // namespace winnow
