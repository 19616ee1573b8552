#include "cluster/defaults/pod_creation.h"

#include <algorithm>
#include <string_view>

#include "cluster/api/resource_name.h"
#include "cluster/state/requests/request_list.h"

namespace winnow {
namespace {

/// Upstream: strategy.go applyLabelKeysToLabelSelector.
void require_own_labels(LabelSelector& selector, const std::vector<std::string>& keys, const char* op,
                        const StringMap& labels) {
  for (const std::string& key : keys)
    if (const auto label = labels.find(key); label != labels.end())
      selector.match_expressions.push_back({.key = key, .op = op, .values = {label->second}});
}

void require_own_labels(PodAffinityTerm& term, const StringMap& labels) {
  if (!term.label_selector) return;  // It matches nothing.
  require_own_labels(*term.label_selector, term.match_label_keys, "In", labels);
  require_own_labels(*term.label_selector, term.mismatch_label_keys, "NotIn", labels);
}

/// Upstream: strategy.go mutatePodAffinity.
void require_own_labels(Affinity& affinity, const StringMap& labels) {
  for (auto* one : {&affinity.pod_affinity, &affinity.pod_anti_affinity}) {
    if (!*one) continue;
    for (PodAffinityTerm& term : (*one)->required) require_own_labels(term, labels);
    for (WeightedPodAffinityTerm& term : (*one)->preferred) require_own_labels(term.term, labels);
  }
}

bool counts_at_pod_level(std::string_view name) {
  return name == "cpu" || name == "memory" || is_hugepage(name);
}

/// Upstream: pkg/api/pod/util.go defaultHugePagePodLevelLimits.
void limit_huge_pages(ResourceRequirements& level, const ResourceList& container_limits) {
  for (const auto& [name, amount] : container_limits)
    if (is_hugepage(name) && !level.requests.contains(name)) level.limits.emplace(name, amount);
}

/// Upstream: util.go defaultPodLevelRequests.
void request_for_containers(ResourceRequirements& level, const ResourceList& container_requests) {
  for (const auto& [name, amount] : container_requests)
    if (name == "cpu" || name == "memory") level.requests.emplace(name, amount);
  for (const auto& [name, amount] : level.limits)
    if (counts_at_pod_level(name)) level.requests.emplace(name, amount);
}

bool every_container_limits(const PodSpec& spec, const std::string& resource) {
  const auto limits = [&](const Container& container) {
    return container.resources.limits.contains(resource);
  };
  return std::ranges::all_of(spec.containers, limits) && std::ranges::all_of(spec.init_containers, limits) &&
         std::ranges::all_of(spec.ephemeral_containers, limits);
}

/// Upstream: util.go defaultPodLevelLimits.
void limit_to_containers(PodSpec& spec, const ResourceList& container_limits) {
  ResourceRequirements& level = *spec.resources;
  for (const auto& [name, request] : level.requests) {
    if (!counts_at_pod_level(name) || !every_container_limits(spec, name)) continue;
    if (const auto limit = container_limits.find(name); limit != container_limits.end())
      level.limits.emplace(name, std::max(limit->second, request));
  }
}

/// Upstream: util.go DefaultPodLevelResources. The order matters, as there.
void complete_pod_level(Pod& pod) {
  PodSpec& spec = pod.spec;
  if (!spec.resources || (spec.resources->requests.empty() && spec.resources->limits.empty())) return;
  const ResourceList limits = container_limit_list(pod);
  limit_huge_pages(*spec.resources, limits);
  request_for_containers(*spec.resources, container_request_list(pod));
  limit_to_containers(spec, limits);
}

}  // namespace

void prepare_for_create(Pod& pod) {
  PodSpec& spec = pod.spec;
  for (auto* list : {&spec.containers, &spec.init_containers, &spec.ephemeral_containers})
    for (Container& container : *list) container.mounts_with_options = false;
  if (spec.affinity) require_own_labels(*spec.affinity, pod.metadata.labels);
  for (TopologySpreadConstraint& constraint : spec.topology_spread_constraints)
    if (constraint.label_selector)
      require_own_labels(*constraint.label_selector, constraint.match_label_keys, "In", pod.metadata.labels);
  complete_pod_level(pod);
}

}  // namespace winnow
