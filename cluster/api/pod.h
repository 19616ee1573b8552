// The Pod, with the fields that rules read, and what its condition says of kube-scheduler's attempts.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/api/meta.h"
#include "cluster/api/quantity.h"

namespace winnow {

/// Amounts by resource name, in order of name.
using ResourceList = std::map<std::string, Quantity, std::less<>>;

struct ResourceRequirements {
  ResourceList requests;
  ResourceList limits;

  bool operator==(const ResourceRequirements&) const = default;
};

struct ContainerPort {
  std::int32_t host_port = 0;  ///< 0: no host port.
  std::int32_t container_port = 0;
  std::string protocol;  ///< As written; "" means TCP.
  std::string host_ip;   ///< As written; "" means 0.0.0.0.

  bool operator==(const ContainerPort&) const = default;
};

struct Container {
  std::string name;
  std::string image;
  std::vector<ContainerPort> ports;
  ResourceRequirements resources;
  std::string restart_policy;        ///< "Always" makes an init container a sidecar.
  bool restarts_all = false;         ///< A restartPolicyRule restarts all containers of the pod.
  bool mounts_with_options = false;  ///< A volumeMount has bindMountOptions.

  bool operator==(const Container&) const = default;
};

struct Toleration {
  std::string key;
  std::string op;  ///< As written; "" means Equal.
  std::string value;
  std::string effect;  ///< "" means every effect.
  std::optional<std::int64_t> toleration_seconds;

  bool operator==(const Toleration&) const = default;
};

struct PreferredSchedulingTerm {
  std::int32_t weight = 0;
  NodeSelectorTerm preference;

  bool operator==(const PreferredSchedulingTerm&) const = default;
};

struct NodeAffinity {
  std::optional<NodeSelector> required;
  std::vector<PreferredSchedulingTerm> preferred;

  bool operator==(const NodeAffinity&) const = default;
};

struct PodAffinityTerm {
  std::optional<LabelSelector> label_selector;
  std::vector<std::string> namespaces;
  std::optional<LabelSelector> namespace_selector;
  std::string topology_key;
  std::vector<std::string> match_label_keys;
  std::vector<std::string> mismatch_label_keys;

  bool operator==(const PodAffinityTerm&) const = default;
};

struct WeightedPodAffinityTerm {
  std::int32_t weight = 0;
  PodAffinityTerm term;

  bool operator==(const WeightedPodAffinityTerm&) const = default;
};

/// A podAffinity or podAntiAffinity: both have the same fields.
struct PodAffinity {
  std::vector<PodAffinityTerm> required;
  std::vector<WeightedPodAffinityTerm> preferred;

  bool operator==(const PodAffinity&) const = default;
};

struct Affinity {
  std::optional<NodeAffinity> node_affinity;
  std::optional<PodAffinity> pod_affinity;
  std::optional<PodAffinity> pod_anti_affinity;

  bool operator==(const Affinity&) const = default;
};

struct TopologySpreadConstraint {
  std::int32_t max_skew = 0;  ///< As written; 0: missing. See skew_in_force().
  std::string topology_key;
  std::string when_unsatisfiable;
  std::optional<LabelSelector> label_selector;
  std::optional<std::int32_t> min_domains;
  std::string node_affinity_policy;  ///< "" means Honor.
  std::string node_taints_policy;    ///< "" means Ignore.
  std::vector<std::string> match_label_keys;

  /// What counts as maxSkew. It has no default, and the API server refuses 0: only a pod that no API server
  /// has seen lacks it. By 0 such a pod would fit nowhere; it counts as 1, the least that there is.
  /// Upstream: pkg/apis/core/validation/validation.go validateTopologySpreadConstraints v1.37.0.
  std::int32_t skew_in_force() const { return max_skew == 0 ? 1 : max_skew; }
  bool operator==(const TopologySpreadConstraint&) const = default;
};

/// The source of a volume, if a rule reads it; kOther for all other sources.
enum class VolumeSource : std::uint8_t {
  kOther,
  kGcePersistentDisk,
  kAwsElasticBlockStore,
  kAzureDisk,
  kCinder,
  kAzureFile,
  kVsphere,
  kPortworx,
  kRbd,
  kIscsi,
  kCsi,
  kPersistentVolumeClaim,
  kEphemeral,  ///< A claim made for this pod, named POD-VOLUME.
  kImage,
};

struct Volume {
  std::string name;
  VolumeSource source = VolumeSource::kOther;
  /// The name of the disk: pdName, volumeID, diskName, shareName, volumePath, RBD image, IQN, CSI driver,
  /// claimName or image reference.
  std::string id;
  std::string pool;                   ///< RBD only, as written.
  std::vector<std::string> monitors;  ///< RBD only.
  std::string storage_class;          ///< Ephemeral only: the claim template's class.
  std::string uri;                    ///< Azure disk only.
  std::optional<std::string> kind;    ///< Azure disk only.
  bool read_only = false;

  bool operator==(const Volume&) const = default;
};

/// Devices that the pod uses. The API wants one of the two names.
struct PodResourceClaim {
  std::string name;                                         ///< Of the claim in the pod.
  std::optional<std::string> resource_claim_name;           ///< A ResourceClaim of the pod's namespace.
  std::optional<std::string> resource_claim_template_name;  ///< A template, from which the pod gets a claim.

  bool operator==(const PodResourceClaim&) const = default;
};

struct PodSpec {
  std::string node_name;
  std::string scheduler_name;
  StringMap node_selector;
  std::optional<Affinity> affinity;
  std::vector<Toleration> tolerations;
  std::vector<Container> containers;
  std::vector<Container> init_containers;
  std::vector<Container> ephemeral_containers;
  std::vector<TopologySpreadConstraint> topology_spread_constraints;
  std::vector<Volume> volumes;
  std::vector<std::string> scheduling_gates;
  std::optional<ResourceList> overhead;
  std::optional<ResourceRequirements> resources;  ///< Pod-level requests and limits.
  std::optional<std::int32_t> priority;
  std::string preemption_policy;
  bool host_network = false;
  std::optional<bool> host_users;
  std::vector<PodResourceClaim> resource_claims;
  bool in_pod_group = false;  ///< It has a spec.schedulingGroup, or v1.35's spec.workloadRef.

  bool operator==(const PodSpec&) const = default;
};

struct PodCondition {
  std::string type;
  std::string status;
  std::string reason;
  std::string message;

  bool operator==(const PodCondition&) const = default;
};

/// The resources that the node has applied. Absent requests differ from an empty list.
struct ActuatedResources {
  std::optional<ResourceList> requests;

  bool operator==(const ActuatedResources&) const = default;
};

struct ContainerStatus {
  std::string name;
  std::optional<ResourceList> allocated_resources;
  std::optional<ActuatedResources> resources;

  bool operator==(const ContainerStatus&) const = default;
};

/// The managers in metadata.managedFields under which nominations stand: Winnow's, and kube-scheduler's.
inline constexpr std::string_view kWinnowNominates = "winnow-nominator";
inline constexpr std::string_view kSchedulerNominates = "kube-scheduler";

/// The ResourceClaim that was made for a claim of the pod.
struct PodResourceClaimStatus {
  std::string name;                                ///< PodResourceClaim::name
  std::optional<std::string> resource_claim_name;  ///< Absent: none is needed.

  bool operator==(const PodResourceClaimStatus&) const = default;
};

struct PodStatus {
  std::string phase;
  std::string nominated_node_name;
  /// The manager in metadata.managedFields that wrote nominatedNodeName: "kube-scheduler". Known only while
  /// the pod has no node. "": none, or not told.
  std::string nominated_by;
  /// When that manager has last written to the pod's status, in seconds since 1970, UTC. Known as it is.
  std::optional<std::int64_t> nominated_at;
  std::vector<PodCondition> conditions;
  std::vector<ContainerStatus> container_statuses;
  std::vector<ContainerStatus> init_container_statuses;
  std::optional<ResourceList> allocated_resources;
  std::optional<ActuatedResources> resources;
  std::vector<PodResourceClaimStatus> resource_claim_statuses;
  /// extendedResourceClaimStatus.resourceClaimName: the claim for resources that devices provide; "": none.
  std::string extended_resource_claim_name;
  std::optional<std::int64_t> start_time;  ///< Seconds since 1970, UTC.
  /// When the last of its running containers has started, the same. Known only while wants_running_since().
  std::optional<std::int64_t> running_since;

  bool operator==(const PodStatus&) const = default;
};

struct Pod {
  ObjectMeta metadata;
  PodSpec spec;
  PodStatus status;
  std::string fields = {};  ///< What users' expressions read of it, as JSON; see wanted_fields.h.

  bool operator==(const Pod&) const = default;
};

/// Whether all containers have stopped for good. The pod takes nothing from its node then.
inline bool has_ended(const Pod& pod) {
  return pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
}

// What a pod's condition says of kube-scheduler's attempts.

/// Whether kube-scheduler has tried the pod in vain. A pod with scheduling gates has such a condition from
/// its creation on, and keeps it when they are gone: kube-scheduler has not tried it. Upstream:
/// applySchedulingGatedCondition of pkg/registry/core/pod/strategy.go v1.37.0.
inline bool is_refusal(const PodCondition& condition) {
  return condition.type == "PodScheduled" && condition.status == "False" &&
         condition.reason != "SchedulingGated";
}

}  // namespace winnow
