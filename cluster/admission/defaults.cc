#include "cluster/admission/defaults.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "cluster/api/device.h"
#include "cluster/api/node.h"
#include "cluster/api/resource_name.h"
#include "cluster/api/storage.h"
#include "cluster/api/workload.h"
#include "cluster/state/pod_requests.h"

namespace winnow {
namespace {

void set_if_empty(std::string& field, const char* value) {
  if (field.empty()) field = value;
}

}  // namespace

void round_up(ResourceList& list) {
  for (auto& [name, amount] : list) amount.round_up_to_millis();
}

void set_source_defaults(Volume& volume) {
  if (volume.source == VolumeSource::kRbd) set_if_empty(volume.pool, "rbd");
  if (volume.source == VolumeSource::kAzureDisk && !volume.kind) volume.kind = "Shared";
}

void set_defaults(Node& node) {
  NodeStatus& status = node.status;
  if (status.allocatable.empty()) status.allocatable = status.capacity;
  round_up(status.capacity);
  round_up(status.allocatable);
}

void set_defaults(Namespace& name_space) {
  ObjectMeta& metadata = name_space.metadata;
  if (!metadata.name.empty()) metadata.labels["kubernetes.io/metadata.name"] = metadata.name;
}

void set_defaults(ReplicationController& controller) {
  if (controller.selector.empty()) controller.selector = controller.template_labels;
  if (controller.metadata.labels.empty()) controller.metadata.labels = controller.template_labels;
}

void set_defaults(PersistentVolume& volume) {
  set_if_empty(volume.phase, "Pending");
  set_if_empty(volume.volume_mode, "Filesystem");
  round_up(volume.capacity);
  set_source_defaults(volume.source);
}

void set_defaults(PersistentVolumeClaim& claim) {
  set_if_empty(claim.phase, "Pending");
  set_if_empty(claim.volume_mode, "Filesystem");
  round_up(claim.requests);
}

void set_defaults(StorageClass& storage_class) {
  if (!storage_class.volume_binding_mode) storage_class.volume_binding_mode = "Immediate";
}

void set_defaults(VolumeAttachment& attachment) {
  if (attachment.inline_volume) set_source_defaults(*attachment.inline_volume);
}

void set_defaults(PriorityClass& priority_class) {
  set_if_empty(priority_class.preemption_policy, "PreemptLowerPriority");
}

// Upstream: defaults.go SetDefaults_LimitRangeItem v1.37.0.
void set_defaults(LimitRange& range) {
  for (LimitRangeItem& item : range.limits) {
    if (item.type == "Container") {
      item.default_limits.insert(item.max.begin(), item.max.end());
      item.default_requests.insert(item.default_limits.begin(), item.default_limits.end());
      item.default_requests.insert(item.min.begin(), item.min.end());
    }
    for (ResourceList* list :
         {&item.max, &item.min, &item.default_limits, &item.default_requests, &item.max_ratios})
      round_up(*list);
  }
}

namespace {

/// Upstream: pkg/apis/resource/v1/defaults.go SetDefaults_ExactDeviceRequest, SetDefaults_DeviceSubRequest
/// v1.37.2.
void set_body_defaults(DeviceRequestBody& body) {
  set_if_empty(body.allocation_mode, "ExactCount");
  if (body.allocation_mode == "ExactCount" && body.count == 0) body.count = 1;
  for (DeviceToleration& toleration : body.tolerations) set_if_empty(toleration.op, "Equal");
}

void set_claim_defaults(ResourceClaimSpec& spec) {
  for (ClaimRequest& request : spec.requests) {
    if (request.exactly) set_body_defaults(*request.exactly);
    for (DeviceSubRequest& alternative : request.first_available) set_body_defaults(alternative.body);
  }
}

}  // namespace

void set_defaults(ResourceClaim& claim) { set_claim_defaults(claim.spec); }
void set_defaults(ResourceClaimTemplate& made) { set_claim_defaults(made.spec); }

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

namespace {

void round_up(std::optional<ResourceList>& list) {
  if (list) winnow::round_up(*list);
}

void round_up(ResourceRequirements& resources) {
  winnow::round_up(resources.limits);
  winnow::round_up(resources.requests);
}

void set_container_defaults(Container& container, bool host_network) {
  for (ContainerPort& port : container.ports) {
    if (host_network && port.host_port == 0) port.host_port = port.container_port;
    if (port.protocol.empty()) port.protocol = "TCP";
  }
  round_up(container.resources);
}

/// A key that is there stays as it is.
void request_limits(Container& container) {
  const ResourceList& limits = container.resources.limits;
  container.resources.requests.insert(limits.begin(), limits.end());
}

void set_status_defaults(PodStatus& status) {
  for (auto* list : {&status.container_statuses, &status.init_container_statuses}) {
    for (ContainerStatus& one : *list) {
      round_up(one.allocated_resources);
      if (one.resources) round_up(one.resources->requests);
    }
  }
  round_up(status.allocated_resources);
  if (status.resources) round_up(status.resources->requests);
}

}  // namespace

// Upstream: defaults.go SetDefaults_Pod, SetDefaults_PodSpec, zz_generated.defaults.go SetObjectDefaults_Pod
// v1.37.0.
void set_defaults(Pod& pod) {
  PodSpec& spec = pod.spec;
  if (spec.scheduler_name.empty()) spec.scheduler_name = "default-scheduler";
  for (auto* list : {&spec.containers, &spec.init_containers}) {
    for (Container& container : *list) {
      request_limits(container);
      set_container_defaults(container, spec.host_network);
    }
  }
  for (Container& container : spec.ephemeral_containers)
    set_container_defaults(container, /*host_network=*/false);
  for (Volume& volume : spec.volumes) set_source_defaults(volume);
  round_up(spec.overhead);
  if (spec.resources) round_up(*spec.resources);
  set_status_defaults(pod.status);
}

}  // namespace winnow
