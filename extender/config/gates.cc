#include "extender/config/gates.h"

#include <algorithm>
#include <format>
#include <optional>
#include <vector>

#include "cluster/api/generation.h"
#include "cluster/text/characters.h"
#include "cluster/text/go_format.h"
#include "cluster/text/words.h"

namespace winnow {
namespace {

struct Known {
  std::string_view name;
  bool Gates::* gate;
};
constexpr Known kKnown[] = {
    {"AttachVolumeLimit", &Gates::attach_volume_limit},
    {"EvenPodsSpread", &Gates::even_pods_spread},
    {"ExactV116", &Gates::exact_v116},
    {"PodOverhead", &Gates::pod_overhead},
    {"ResourceLimitsPriorityFunction", &Gates::resource_limits_priority},
    {"TaintNodesByCondition", &Gates::taint_nodes_by_condition},
};

/// Gates that also change v1.16's answers, and that Winnow supports only at their defaults.
struct Fixed {
  std::string_view name;
  bool value;
};
constexpr Fixed kFixed[] = {
    {"BalanceAttachedNodeVolumes", false},
    {"BlockVolume", true},
    {"CSIMigration", false},
    {"CSIMigrationAWS", false},
    {"CSIMigrationAzureDisk", false},
    {"CSIMigrationGCE", false},
    {"CSIMigrationOpenStack", false},
    {"CSINodeInfo", true},
    {"VolumeScheduling", true},
};

std::optional<bool> parse_bool(std::string_view text) {
  for (const std::string_view yes : {"1", "t", "T", "true", "TRUE", "True"})
    if (text == yes) return true;
  for (const std::string_view no : {"0", "f", "F", "false", "FALSE", "False"})
    if (text == no) return false;
  return std::nullopt;
}

std::string unknown_gate(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Known& known : kKnown) names.push_back(known.name);
  std::string text = std::format("unrecognized feature gate: {}{}; known:", name, did_you_mean(name, names));
  for (const std::string_view known : names) text.append(" ").append(known);
  return text;
}

/// Accepts a gate that is supported only at its default. @return the error, or nothing.
std::optional<std::string> check_fixed(std::string_view name, bool value, Gates& gates) {
  const auto fixed = std::ranges::find(kFixed, name, &Fixed::name);
  const bool is_classic = fixed != std::end(kFixed);
  const auto only = is_classic ? std::optional(fixed->value) : today_gate_default(name);
  if (!only) return unknown_gate(name);
  if (value != *only) return std::format("feature gate {} is known here as {}={} only", name, name, *only);
  (is_classic ? gates.classic_gate : gates.today_gate) = name;
  return std::nullopt;
}

/// Sets the gate of one NAME=VALUE. @return the error, or nothing.
std::optional<std::string> apply(std::string_view part, Gates& gates) {
  const std::size_t equals = part.find('=');
  const std::string_view name = trim(part.substr(0, equals));
  if (equals == std::string_view::npos) return std::format("missing bool value for {}", name);
  const std::string_view text = trim(part.substr(equals + 1));
  const auto value = parse_bool(text);
  if (!value) {
    return std::format("invalid value of {}={}, err: strconv.ParseBool: parsing {}: invalid syntax", name,
                       text, go_quote(text));
  }
  const auto known = std::ranges::find(kKnown, name, &Known::name);
  if (known == std::end(kKnown)) return check_fixed(name, *value, gates);
  gates.*known->gate = *value;
  gates.classic_gate = name;
  return std::nullopt;
}

}  // namespace

std::expected<Gates, std::string> parse_gates(std::string_view text) {
  Gates gates;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view part = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    if (part.empty()) continue;
    if (const auto error = apply(part, gates)) return std::unexpected(printable(*error));
  }
  return gates;
}

bool holds(AtGates at, const Gates& gates) {
  switch (at) {
    case AtGates::kNoGates:
      return false;
    case AtGates::kAllGates:
      return true;
    case AtGates::kTaintNodesByCondition:
      return gates.taint_nodes_by_condition;
    case AtGates::kNoTaintNodesByCondition:
      return !gates.taint_nodes_by_condition;
    case AtGates::kEvenPodsSpread:
      return gates.even_pods_spread;
    case AtGates::kResourceLimitsPriority:
      return gates.resource_limits_priority;
  }
  return false;
}

FieldResult check_generation(const Gates& gates, Generation generation) {
  if (generation == Generation::kToday && !gates.classic_gate.empty())
    return std::unexpected(
        std::format("--feature-gates: {} is a gate of v1.16, and a KubeSchedulerConfiguration has v1.37's",
                    gates.classic_gate));
  if (generation == Generation::kClassic && !gates.today_gate.empty())
    return std::unexpected(std::format(
        "--feature-gates: {} is a gate of v1.37, and the classic rules have v1.16's", gates.today_gate));
  return {};
}

// The feature gates that kube-scheduler v1.37.0 registers, by their defaults. Both lists are sorted.

namespace {

constexpr std::string_view kOn[] = {"APIResponseCompression",
                                    "APIServerIdentity",
                                    "AggregatedDiscoveryRemoveBetaType",
                                    "AllowParsingUserUIDFromCertAuth",
                                    "AllowServiceExternalIPs",
                                    "AllowUnsafeMalformedObjectDeletion",
                                    "AtomicFIFO",
                                    "AuthorizePodWebsocketUpgradeCreatePermission",
                                    "CPUManagerPolicyBetaOptions",
                                    "CPUManagerPolicyOptions",
                                    "CRDObservedGenerationTracking",
                                    "CRDValidationRatcheting",
                                    "CSIServiceAccountTokenSecrets",
                                    "ClearingNominatedNodeNameAfterBinding",
                                    "ClientsAllowCARotation",
                                    "ClientsAllowTLSCacheGC",
                                    "ClusterTrustBundle",
                                    "ClusterTrustBundleProjection",
                                    "ComponentFlagz",
                                    "ComponentStatusz",
                                    "ConcurrentWatchObjectDecode",
                                    "ConstrainedImpersonation",
                                    "ContainerCheckpoint",
                                    "ContainerRestartRules",
                                    "ContextualLogging",
                                    "CustomCPUCFSQuotaPeriod",
                                    "CustomResourceFieldSelectors",
                                    "DRAAdminAccess",
                                    "DRAConsumableCapacity",
                                    "DRADeviceBindingConditions",
                                    "DRADeviceTaintRules",
                                    "DRADeviceTaints",
                                    "DRAExtendedResource",
                                    "DRAPartitionableDevices",
                                    "DRAPrioritizedList",
                                    "DRAResourceClaimDeviceStatus",
                                    "DRAResourceClaimGranularStatusAuthorization",
                                    "DRASchedulerFilterTimeout",
                                    "DeclarativeValidation",
                                    "DeclarativeValidationBeta",
                                    "DeploymentReplicaSetTerminatingReplicas",
                                    "DetectCacheInconsistency",
                                    "DisableAllocatorDualWrite",
                                    "DisableCPUQuotaWithExclusiveCPUs",
                                    "DisableNodeKubeProxyVersion",
                                    "DynamicResourceAllocation",
                                    "EnvFiles",
                                    "EtcdRangeStream",
                                    "ExcludeAdmissionWebhookVirtualResources",
                                    "ExecProbeTimeout",
                                    "ExtendWebSocketsToKubelet",
                                    "ExternalServiceAccountTokenSigner",
                                    "GracefulNodeShutdown",
                                    "GracefulNodeShutdownBasedOnPodPriority",
                                    "HPAConfigurableTolerance",
                                    "HPAGeneration",
                                    "HPAOptimizedSelectorStore",
                                    "HPAScaleToZero",
                                    "HostnameOverride",
                                    "HugepageAwareEviction",
                                    "ImageMaximumGCAge",
                                    "ImageVolume",
                                    "InOrderInformers",
                                    "InOrderInformersBatchProcess",
                                    "InPlacePodLevelResourcesVerticalScaling",
                                    "InPlacePodVerticalScaling",
                                    "InPlacePodVerticalScalingInitContainers",
                                    "InformerResourceVersion",
                                    "JobManagedBy",
                                    "KubeProxyIPVS",
                                    "KubeletCgroupDriverFromCRI",
                                    "KubeletCrashLoopBackOffMax",
                                    "KubeletEnsureSecretPulledImages",
                                    "KubeletFineGrainedAuthz",
                                    "KubeletInUserNamespace",
                                    "KubeletPSI",
                                    "KubeletPodResourcesDynamicResources",
                                    "KubeletPodResourcesGet",
                                    "KubeletPodResourcesListUseActivePods",
                                    "KubeletSeparateDiskGC",
                                    "KubeletServiceAccountTokenForCredentialProviders",
                                    "KubeletTracing",
                                    "ListFromCacheSnapshot",
                                    "LoggingBetaOptions",
                                    "ManifestBasedAdmissionControlConfig",
                                    "MatchLabelKeysInPodAffinity",
                                    "MatchLabelKeysInPodTopologySpread",
                                    "MatchLabelKeysInPodTopologySpreadSelectorMerge",
                                    "MaxUnavailableStatefulSet",
                                    "MemoryQoS",
                                    "MultiCIDRServiceAllocator",
                                    "MutableCSINodeAllocatableCount",
                                    "MutablePodResourcesForSuspendedJobs",
                                    "MutableSchedulingDirectivesForSuspendedJobs",
                                    "MutatingAdmissionPolicy",
                                    "NFTablesNetlink",
                                    "NFTablesProxyMode",
                                    "NativeHistograms",
                                    "NodeControllerLeaseCircuitBreaker",
                                    "NodeDeclaredFeatures",
                                    "NodeInclusionPolicyInPodTopologySpread",
                                    "NodeLogQuery",
                                    "NodeSwap",
                                    "NominatedNodeNameForExpectation",
                                    "OpenAPIEnums",
                                    "OpportunisticBatching",
                                    "PLEGOnDemandRelist",
                                    "PersistentVolumeClaimUnusedSinceTime",
                                    "PodCertificateRequest",
                                    "PodDeletionCost",
                                    "PodLevelResources",
                                    "PodLevelResourcesFixDefaulting",
                                    "PodLevelResourcesFixKubeletQOSClass",
                                    "PodObservedGenerationTracking",
                                    "PodReadyToStartContainersCondition",
                                    "PodSchedulingReadiness",
                                    "PodTopologyLabelsAdmission",
                                    "PodsAPI",
                                    "PortForwardWebsockets",
                                    "PreferSameTrafficDistribution",
                                    "ProcMountType",
                                    "RecoverVolumeExpansionFailure",
                                    "RecursiveReadOnlyMounts",
                                    "RelaxedEnvironmentVariableValidation",
                                    "RelaxedServiceNameValidation",
                                    "ReloadKubeletClientCAFile",
                                    "ReloadKubeletServerCertificateFile",
                                    "RemoteRequestHeaderUID",
                                    "ResourceHealthStatus",
                                    "ResourceHealthStatusMessage",
                                    "RestartAllContainersOnContainerExits",
                                    "RotateKubeletServerCertificate",
                                    "SELinuxChangePolicy",
                                    "SELinuxMount",
                                    "SELinuxMountReadWriteOncePod",
                                    "SchedulerAsyncPreemption",
                                    "SchedulerPopFromBackoffQ",
                                    "SeparateTaintEvictionController",
                                    "ServiceAccountNodeAudienceRestriction",
                                    "ServiceAccountTokenJTI",
                                    "ServiceAccountTokenNodeBinding",
                                    "ServiceAccountTokenNodeBindingValidation",
                                    "ServiceAccountTokenPodNodeInfo",
                                    "ServiceCIDRStatusFieldWiping",
                                    "SizeBasedListCostEstimate",
                                    "StaleControllerConsistencyDaemonSet",
                                    "StaleControllerConsistencyHPA",
                                    "StaleControllerConsistencyJob",
                                    "StaleControllerConsistencyReplicaSet",
                                    "StaleControllerConsistencyStatefulSet",
                                    "StatefulSetSemanticRevisionComparison",
                                    "StorageCapacityScoring",
                                    "StorageNamespaceIndex",
                                    "StorageVersionHash",
                                    "StorageVersionMigrator",
                                    "StrictIPCIDRValidation",
                                    "StructuredAuthenticationConfigurationEgressSelector",
                                    "StructuredAuthenticationConfigurationJWKSMetrics",
                                    "SupplementalGroupsPolicy",
                                    "SystemdWatchdog",
                                    "TokenRequestServiceAccountUIDValidation",
                                    "TopologyManagerPolicyBetaOptions",
                                    "TopologyManagerPolicyOptions",
                                    "TranslateStreamCloseWebsocketRequests",
                                    "UnauthenticatedHTTP2DOSMitigation",
                                    "UnknownVersionInteroperabilityProxy",
                                    "UnlockWhileProcessingFIFO",
                                    "UserNamespacesSupport",
                                    "VolumeAttributesClass",
                                    "VolumeLimitScaling",
                                    "WatchCacheInitializationPostStartHook",
                                    "WatchList",
                                    "WatchListClient",
                                    "WatchListCompression",
                                    "WebhookRoundTripLoadBalancing",
                                    "WinDSR",
                                    "WinOverlay",
                                    "WindowsGracefulNodeShutdown"};

constexpr std::string_view kOff[] = {"APIServerWebhookAuthenticationToken",
                                     "APIServingWithRoutine",
                                     "AllAlpha",
                                     "AllBeta",
                                     "AllowDNSOnlyNodeCSR",
                                     "AllowInsecureKubeletCertificateSigningRequests",
                                     "AllowOverwriteTerminationGracePeriodSeconds",
                                     "AtomicWriteVolumeUserFields",
                                     "CBORServingAndStorage",
                                     "CPUManagerPolicyAlphaOptions",
                                     "CRIListStreaming",
                                     "CSIVolumeHealth",
                                     "ChangeContainerStatusOnKubeletRestart",
                                     "ClientsAllowCBOR",
                                     "ClientsPreferCBOR",
                                     "CloudControllerManagerWatchBasedRoutesReconciliation",
                                     "CloudControllerManagerWebhook",
                                     "CompositePodGroup",
                                     "ConsistentListFromCacheSkipTimeoutFallback",
                                     "ContainerStopSignals",
                                     "CoordinatedLeaderElection",
                                     "CrossNamespaceVolumeDataSource",
                                     "DRADerivedAttributes",
                                     "DRADeviceCompatibilityGroups",
                                     "DRAFractionalCapacityRange",
                                     "DRAListTypeAttributes",
                                     "DRANodeAllocatableResources",
                                     "DRAOptionalNodeOperations",
                                     "DRAPartitionableDevicesType",
                                     "DRAResourcePoolStatus",
                                     "DRAWorkloadResourceClaims",
                                     "DeclarativeValidationTakeover",
                                     "DefaultPodSysctls",
                                     "EmptyDirVolumeMode",
                                     "EventedPLEG",
                                     "EvictionRequestAPI",
                                     "GRPCContainerProbeTLS",
                                     "GenericWorkload",
                                     "GitRepoVolumeDriver",
                                     "H2CContainerProbe",
                                     "ImageVolumeWithDigest",
                                     "InPlacePodVerticalScalingExclusiveCPUs",
                                     "InPlacePodVerticalScalingExclusiveMemory",
                                     "InPlacePodVerticalScalingMemoryBackedVolumes",
                                     "InPlacePodVerticalScalingSchedulerPreemption",
                                     "InterPodAffinityHostnameFastPath",
                                     "KMSv1",
                                     "KubeProxyNFTablesLocalhostNodePorts",
                                     "KubeletAllocatedPodsEndpoint",
                                     "KubeletRegistrationGetOnExistsOnly",
                                     "LocalStorageCapacityIsolationFSQuotaMonitoring",
                                     "LoggingAlphaOptions",
                                     "MutablePVNodeAffinity",
                                     "NodeLifecycleConditions",
                                     "PodAndContainerStatsFromCRI",
                                     "PodGroupPreemptionPolicy",
                                     "PodLevelResourceManagers",
                                     "PodLogsQuerySplitStreams",
                                     "QOSReserved",
                                     "ReduceDefaultCrashLoopBackOffDecay",
                                     "RuntimeClassInImageCriApi",
                                     "SchedulerAsyncAPICalls",
                                     "SchedulerPreQueueingHints",
                                     "SeparateCacheWatchRPC",
                                     "ShardedListAndWatch",
                                     "StatefulSetRecreateStrategy",
                                     "StorageVersionAPI",
                                     "TaintTolerationComparisonOperators",
                                     "TopologyAwareWorkloadScheduling",
                                     "TopologyManagerPolicyAlphaOptions",
                                     "UserNamespacesHostNetworkSupport",
                                     "VolumeBindMountOptions",
                                     "WindowsCPUAndMemoryAffinity",
                                     "WindowsHostNetwork",
                                     "WorkloadWithJob"};

}  // namespace

std::optional<bool> today_gate_default(std::string_view name) {
  if (std::ranges::binary_search(kOn, name)) return true;
  if (std::ranges::binary_search(kOff, name)) return false;
  return std::nullopt;
}

}  // namespace winnow
