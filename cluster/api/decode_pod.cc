#include <algorithm>

#include "cluster/api/decoders.h"
#include "cluster/api/wanted_fields.h"

namespace winnow {

// read_value() finds read_fields() by argument-dependent lookup in the namespace of the argument's type. So
// these functions are static, and not in an unnamed namespace.

static bool read_fields(const Reader& r, ResourceRequirements& resources) {
  return r.read("requests", resources.requests) && r.read("limits", resources.limits);
}

static bool read_fields(const Reader& r, ContainerPort& port) {
  return r.read("hostPort", port.host_port) && r.read("containerPort", port.container_port) &&
         r.read("protocol", port.protocol) && r.read("hostIP", port.host_ip);
}

namespace {

/// Calls `visit` with the reader of each object in a list. A null element counts as an empty object, as in
/// Go.
template <class Visit>
bool for_each_object(const Reader& r, std::string_view key, const Visit& visit) {
  return r.for_each_in(key, [&](const Reader& element) {
    return element.is_null() || (element.expect_object() && visit(element));
  });
}

bool read_restart_rules(const Reader& r, Container& container) {
  return for_each_object(r, "restartPolicyRules", [&](const Reader& rule) {
    std::string action;
    if (!rule.read("action", action)) return false;
    container.restarts_all |= action == "RestartAllContainers";
    return true;
  });
}

bool read_mounts(const Reader& r, Container& container) {
  return for_each_object(r, "volumeMounts", [&](const Reader& mount) {
    std::vector<std::string> options;
    if (!mount.read("bindMountOptions", options)) return false;
    container.mounts_with_options |= !options.empty();
    return true;
  });
}

}  // namespace

static bool read_fields(const Reader& r, Container& container) {
  return r.read("name", container.name) && r.read("image", container.image) &&
         r.read("ports", container.ports) && r.read("resources", container.resources) &&
         r.read("restartPolicy", container.restart_policy) && read_restart_rules(r, container) &&
         read_mounts(r, container);
}

bool read_fields(const Reader& r, Toleration& toleration) {
  return r.read("key", toleration.key) && r.read("operator", toleration.op) &&
         r.read("value", toleration.value) && r.read("effect", toleration.effect) &&
         r.read("tolerationSeconds", toleration.toleration_seconds);
}

static bool read_fields(const Reader& r, PreferredSchedulingTerm& term) {
  return r.read("weight", term.weight) && r.read("preference", term.preference);
}

bool read_fields(const Reader& r, NodeAffinity& affinity) {
  return r.read("requiredDuringSchedulingIgnoredDuringExecution", affinity.required) &&
         r.read("preferredDuringSchedulingIgnoredDuringExecution", affinity.preferred);
}

static bool read_fields(const Reader& r, PodAffinityTerm& term) {
  return r.read("labelSelector", term.label_selector) && r.read("namespaces", term.namespaces) &&
         r.read("namespaceSelector", term.namespace_selector) && r.read("topologyKey", term.topology_key) &&
         r.read("matchLabelKeys", term.match_label_keys) &&
         r.read("mismatchLabelKeys", term.mismatch_label_keys);
}

static bool read_fields(const Reader& r, WeightedPodAffinityTerm& term) {
  return r.read("weight", term.weight) && r.read("podAffinityTerm", term.term);
}

static bool read_fields(const Reader& r, PodAffinity& affinity) {
  return r.read("requiredDuringSchedulingIgnoredDuringExecution", affinity.required) &&
         r.read("preferredDuringSchedulingIgnoredDuringExecution", affinity.preferred);
}

static bool read_fields(const Reader& r, Affinity& affinity) {
  return r.read("nodeAffinity", affinity.node_affinity) && r.read("podAffinity", affinity.pod_affinity) &&
         r.read("podAntiAffinity", affinity.pod_anti_affinity);
}

bool read_fields(const Reader& r, TopologySpreadConstraint& constraint) {
  return r.read("maxSkew", constraint.max_skew) && r.read("topologyKey", constraint.topology_key) &&
         r.read("whenUnsatisfiable", constraint.when_unsatisfiable) &&
         r.read("labelSelector", constraint.label_selector) && r.read("minDomains", constraint.min_domains) &&
         r.read("nodeAffinityPolicy", constraint.node_affinity_policy) &&
         r.read("nodeTaintsPolicy", constraint.node_taints_policy) &&
         r.read("matchLabelKeys", constraint.match_label_keys);
}

static bool read_fields(const Reader& r, Volume& volume) {
  return r.read("name", volume.name) && read_volume_source(r, volume);
}

namespace {

/// An element of spec.schedulingGates.
struct SchedulingGate {
  std::string name;
};

bool read_fields(const Reader& r, SchedulingGate& gate) { return r.read("name", gate.name); }

bool read_gates(const Reader& r, std::vector<std::string>& names) {
  std::vector<SchedulingGate> gates;
  const bool good = r.read("schedulingGates", gates);
  for (auto& gate : gates) names.push_back(std::move(gate.name));
  return good;
}

}  // namespace

static bool read_fields(const Reader& r, PodResourceClaim& claim) {
  return r.read("name", claim.name) && r.read("resourceClaimName", claim.resource_claim_name) &&
         r.read("resourceClaimTemplateName", claim.resource_claim_template_name);
}

static bool read_fields(const Reader& r, PodResourceClaimStatus& status) {
  return r.read("name", status.name) && r.read("resourceClaimName", status.resource_claim_name);
}

static bool read_fields(const Reader& r, PodSpec& spec) {
  spec.in_pod_group = r.has("schedulingGroup") || r.has("workloadRef");
  return r.read("nodeName", spec.node_name) && r.read("schedulerName", spec.scheduler_name) &&
         r.read("nodeSelector", spec.node_selector) && r.read("affinity", spec.affinity) &&
         r.read("tolerations", spec.tolerations) && r.read("containers", spec.containers) &&
         r.read("initContainers", spec.init_containers) &&
         r.read("ephemeralContainers", spec.ephemeral_containers) &&
         r.read("topologySpreadConstraints", spec.topology_spread_constraints) &&
         r.read("volumes", spec.volumes) && read_gates(r, spec.scheduling_gates) &&
         r.read("overhead", spec.overhead) && r.read("resources", spec.resources) &&
         r.read("priority", spec.priority) && r.read("preemptionPolicy", spec.preemption_policy) &&
         r.read("hostNetwork", spec.host_network) && r.read("hostUsers", spec.host_users) &&
         r.read("resourceClaims", spec.resource_claims);
}

static bool read_fields(const Reader& r, PodCondition& condition) {
  return r.read("type", condition.type) && r.read("status", condition.status) &&
         r.read("reason", condition.reason) && r.read("message", condition.message);
}

static bool read_fields(const Reader& r, ActuatedResources& resources) {
  return r.read("requests", resources.requests);
}

static bool read_fields(const Reader& r, ContainerStatus& status) {
  return r.read("name", status.name) && r.read("allocatedResources", status.allocated_resources) &&
         r.read("resources", status.resources);
}

/// When the last of the running containers has started.
static bool read_running_since(const Reader& status, std::optional<std::int64_t>& since) {
  return status.for_each_in("containerStatuses", [&](const Reader& container) {
    return container.within("state", [&](const Reader& state) {
      return state.within("running", [&](const Reader& running) {
        std::optional<Time> started;
        if (!running.read("startedAt", started)) return false;
        if (started) since = std::max(since.value_or(started->seconds), started->seconds);
        return true;
      });
    });
  });
}

static bool read_fields(const Reader& r, PodStatus& status) {
  std::optional<Time> started;
  const bool good =
      r.read("phase", status.phase) && r.read("nominatedNodeName", status.nominated_node_name) &&
      r.read("conditions", status.conditions) && r.read("containerStatuses", status.container_statuses) &&
      r.read("initContainerStatuses", status.init_container_statuses) &&
      r.read("allocatedResources", status.allocated_resources) && r.read("resources", status.resources) &&
      r.read("resourceClaimStatuses", status.resource_claim_statuses) &&
      r.within("extendedResourceClaimStatus",
               [&](const Reader& claim) {
                 return claim.read("resourceClaimName", status.extended_resource_claim_name);
               }) &&
      r.read("startTime", started);
  if (started) status.start_time = started->seconds;
  return good && (!wants_running_since() || read_running_since(r, status.running_since));
}

bool read_fields(const Reader& r, Pod& pod) {
  if (!r.read("metadata", pod.metadata) || !r.read("spec", pod.spec) || !r.read("status", pod.status))
    return false;
  pod.fields = kept_fields(FieldsOf::kPods, r);
  // managedFields are the largest part of many pods, and tell nothing of others.
  const bool waits_nominated = !pod.status.nominated_node_name.empty() && pod.spec.node_name.empty();
  return !waits_nominated || read_nominated_by(r, pod.status);
}

namespace {

struct SourceRow {
  std::string_view field;  ///< The field's name in a pod's volume, or in a PersistentVolume's spec.
  VolumeSource source;
  std::string_view id_field;  ///< The field in the source that identifies the disk.
};

// A volume has one source. If it has several, the first row of the table counts.
constexpr SourceRow kSources[] = {
    {"gcePersistentDisk", VolumeSource::kGcePersistentDisk, "pdName"},
    {"awsElasticBlockStore", VolumeSource::kAwsElasticBlockStore, "volumeID"},
    {"azureDisk", VolumeSource::kAzureDisk, "diskName"},
    {"cinder", VolumeSource::kCinder, "volumeID"},
    {"azureFile", VolumeSource::kAzureFile, "shareName"},
    {"vsphereVolume", VolumeSource::kVsphere, "volumePath"},
    {"portworxVolume", VolumeSource::kPortworx, "volumeID"},
    {"rbd", VolumeSource::kRbd, "image"},
    {"iscsi", VolumeSource::kIscsi, "iqn"},
    {"csi", VolumeSource::kCsi, "driver"},
    {"persistentVolumeClaim", VolumeSource::kPersistentVolumeClaim, "claimName"},
    {"ephemeral", VolumeSource::kEphemeral, ""},
    {"image", VolumeSource::kImage, "reference"},
};

bool read_source(const Reader& r, const SourceRow& row, Volume& volume) {
  switch (row.source) {
    case VolumeSource::kRbd:
      return r.read("image", volume.id) && r.read("pool", volume.pool) &&
             r.read("monitors", volume.monitors) && r.read("readOnly", volume.read_only);
    case VolumeSource::kAzureDisk:
      return r.read(row.id_field, volume.id) && r.read("diskURI", volume.uri) &&
             r.read("kind", volume.kind) && r.read("readOnly", volume.read_only);
    case VolumeSource::kEphemeral:
      return r.within("volumeClaimTemplate", [&](const Reader& claim) {
        return claim.within(
            "spec", [&](const Reader& spec) { return spec.read("storageClassName", volume.storage_class); });
      });
    case VolumeSource::kImage:
      return r.read(row.id_field, volume.id);
    default:
      return r.read(row.id_field, volume.id) && r.read("readOnly", volume.read_only);
  }
}

}  // namespace

bool read_volume_source(const Reader& r, Volume& volume) {
  for (const auto& row : kSources) {
    if (!r.has(row.field)) continue;
    volume.source = row.source;
    return r.within(row.field, [&](const Reader& source) { return read_source(source, row, volume); });
  }
  return true;
}

}  // namespace winnow
