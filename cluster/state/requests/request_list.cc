// A resize in place has three amounts of a resource: the request in the spec, the amount that the node has
// allocated, and the amount in force. The pod counts the largest. If the node has found the resize
// infeasible, the request in the spec does not count.
#include "cluster/state/requests/request_list.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "cluster/api/resource_name.h"
#include "cluster/state/requests/request_amounts.h"

namespace winnow {
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

}  // namespace winnow
