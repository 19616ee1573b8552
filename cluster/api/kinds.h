// The table of the kinds of objects that Winnow reads, a row each, and the sets of kinds that rules read.
//
// Code for all kinds uses this table at compile time: watching (cluster/client/watch), decoding
// (cluster/api/decode.h), reading files (cluster/files) and writing into the state (cluster/state/state.h).
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>

namespace winnow {

struct CsiDriver;
struct CsiNode;
struct CsiStorageCapacity;
struct DeviceClass;
struct DeviceTaintRule;
struct LimitRange;
struct Namespace;
struct Node;
struct NodeMetrics;
struct PersistentVolume;
struct PersistentVolumeClaim;
struct Pod;
struct PodDisruptionBudget;
struct PriorityClass;
struct ReplicaSet;
struct ReplicationController;
struct ResourceClaim;
struct ResourceClaimTemplate;
struct ResourceSlice;
struct RuntimeClass;
struct Service;
struct StatefulSet;
struct StorageClass;
struct VolumeAttachment;

/// Whether objects of a kind have a namespace.
enum KindScope : std::uint8_t { kCluster, kNamespaced };

/// What Winnow does while every API server denies a kind (403), or does not serve it (404).
enum KindPresence : std::uint8_t {
  kRequired,  ///< It is not ready.
  kExpected,  ///< It runs as if there were no such objects, says so, and asks again within a minute.
  kOptional,  ///< The same, but it asks every five minutes, and a kind that nobody serves is no lack.
};

/// The API group of an apiVersion: "policy" in "policy/v1"; "" for the core group.
constexpr std::string_view group_of(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

/// The names of a kind in the API.
struct KindInfo {
  std::string_view kind;         ///< "PodDisruptionBudget"
  std::string_view resource;     ///< "poddisruptionbudgets", as in paths, logs and metrics.
  std::string_view api_version;  ///< "policy/v1"; "v1" for the core group.
  KindScope scope;
  KindPresence presence = kExpected;
};

/// A row of the table.
/// @tparam Object  the struct of cluster/api for objects of the kind.
template <class Object>
struct Kind : KindInfo {};

/// The table. Messages list kinds in this order.
inline constexpr std::tuple kKinds{
    Kind<Node>{"Node", "nodes", "v1", kCluster, kRequired},
    Kind<Pod>{"Pod", "pods", "v1", kNamespaced, kRequired},
    Kind<Namespace>{"Namespace", "namespaces", "v1", kCluster},
    Kind<Service>{"Service", "services", "v1", kNamespaced},
    Kind<ReplicationController>{"ReplicationController", "replicationcontrollers", "v1", kNamespaced},
    Kind<ReplicaSet>{"ReplicaSet", "replicasets", "apps/v1", kNamespaced},
    Kind<StatefulSet>{"StatefulSet", "statefulsets", "apps/v1", kNamespaced},
    Kind<PodDisruptionBudget>{"PodDisruptionBudget", "poddisruptionbudgets", "policy/v1", kNamespaced},
    Kind<PersistentVolume>{"PersistentVolume", "persistentvolumes", "v1", kCluster},
    Kind<PersistentVolumeClaim>{"PersistentVolumeClaim", "persistentvolumeclaims", "v1", kNamespaced},
    Kind<StorageClass>{"StorageClass", "storageclasses", "storage.k8s.io/v1", kCluster},
    Kind<CsiNode>{"CSINode", "csinodes", "storage.k8s.io/v1", kCluster},
    Kind<CsiDriver>{"CSIDriver", "csidrivers", "storage.k8s.io/v1", kCluster},
    Kind<CsiStorageCapacity>{"CSIStorageCapacity", "csistoragecapacities", "storage.k8s.io/v1", kNamespaced},
    Kind<VolumeAttachment>{"VolumeAttachment", "volumeattachments", "storage.k8s.io/v1", kCluster},
    Kind<PriorityClass>{"PriorityClass", "priorityclasses", "scheduling.k8s.io/v1", kCluster, kOptional},
    Kind<LimitRange>{"LimitRange", "limitranges", "v1", kNamespaced},
    Kind<DeviceClass>{"DeviceClass", "deviceclasses", "resource.k8s.io/v1", kCluster, kOptional},
    Kind<RuntimeClass>{"RuntimeClass", "runtimeclasses", "node.k8s.io/v1", kCluster, kOptional},
    Kind<ResourceClaim>{"ResourceClaim", "resourceclaims", "resource.k8s.io/v1", kNamespaced, kOptional},
    Kind<ResourceClaimTemplate>{"ResourceClaimTemplate", "resourceclaimtemplates", "resource.k8s.io/v1",
                                kNamespaced, kOptional},
    Kind<ResourceSlice>{"ResourceSlice", "resourceslices", "resource.k8s.io/v1", kCluster, kOptional},
    Kind<DeviceTaintRule>{"DeviceTaintRule", "devicetaintrules", "resource.k8s.io/v1", kCluster, kOptional},
    // No API server can watch these: cluster/client/metrics asks for them.
    Kind<NodeMetrics>{"NodeMetrics", "nodes.metrics.k8s.io", "metrics.k8s.io/v1beta1", kCluster, kOptional},
};
inline constexpr std::size_t kResourceKinds = std::tuple_size_v<decltype(kKinds)>;

/// The index of a row, for code that does not know the struct at compile time.
enum class ResourceKind : std::uint8_t {};

/// Calls visit(const Kind<Object>&) for each row.
template <class Visit>
constexpr void for_each_kind(const Visit& visit) {
  std::apply([&](const auto&... rows) { (visit(rows), ...); }, kKinds);
}

/// All row indexes.
inline constexpr std::array<ResourceKind, kResourceKinds> kAllKinds = [] {
  std::array<ResourceKind, kResourceKinds> all{};
  for (std::size_t row = 0; row < all.size(); ++row) all[row] = static_cast<ResourceKind>(row);
  return all;
}();

namespace kinds_detail {

inline constexpr std::array<KindInfo, kResourceKinds> kInfos =
    std::apply([](const auto&... rows) { return std::array{static_cast<const KindInfo&>(rows)...}; }, kKinds);

template <class Object, class... Objects>
consteval std::size_t row_of(const std::tuple<Kind<Objects>...>&) {
  std::size_t row = 0;
  // Counts the rows before the one of Object.
  static_cast<void>(((std::same_as<Object, Objects> || (++row, false)) || ...));
  return row;
}

template <template <class> class Of, class... Objects>
std::tuple<Of<Objects>...> tuple_of(const std::tuple<Kind<Objects>...>&);

}  // namespace kinds_detail

constexpr const KindInfo& info_of(ResourceKind kind) {
  return kinds_detail::kInfos[static_cast<std::size_t>(kind)];
}

/// The row of a struct. A struct without a row does not compile.
template <class Object>
inline constexpr ResourceKind kind_of = [] {
  constexpr std::size_t kRow = kinds_detail::row_of<Object>(kKinds);
  static_assert(kRow < kResourceKinds, "the struct has no row in kKinds");
  return static_cast<ResourceKind>(kRow);
}();

/// A tuple with a member for each row: std::tuple<Of<Node>, Of<Pod>, …>.
template <template <class> class Of>
using TupleOfKinds = decltype(kinds_detail::tuple_of<Of>(kKinds));

// WatchedKinds: the set of kinds that a rule reads.

/// A set of kinds, as one bit each.
class WatchedKinds {
 public:
  constexpr WatchedKinds() = default;
  constexpr WatchedKinds(ResourceKind kind) : bits_(std::uint32_t{1} << static_cast<unsigned>(kind)) {}

  constexpr bool has(ResourceKind kind) const { return (bits_ & WatchedKinds(kind).bits_) != 0; }
  constexpr WatchedKinds operator|(WatchedKinds other) const { return WatchedKinds(bits_ | other.bits_); }
  constexpr WatchedKinds& operator|=(WatchedKinds other) { return *this = *this | other; }
  constexpr bool operator==(const WatchedKinds&) const = default;

 private:
  static_assert(kResourceKinds <= 32);
  constexpr explicit WatchedKinds(std::uint32_t bits) : bits_(bits) {}
  std::uint32_t bits_ = 0;
};
constexpr WatchedKinds operator|(ResourceKind a, ResourceKind b) { return WatchedKinds(a) | WatchedKinds(b); }

/// The watched kinds that a rule can have in its row of the table. Every rule may read nodes and pods, so
/// they are not listed.
namespace needs {
inline constexpr WatchedKinds kNothing{};
/// What decides whether a resource is one of nodes, or provided by devices.
inline constexpr WatchedKinds kResources = kind_of<DeviceClass>;
inline constexpr WatchedKinds kNamespaces = kind_of<Namespace>;
inline constexpr WatchedKinds kServices = kind_of<Service>;
inline constexpr WatchedKinds kWorkloads =
    kind_of<Service> | kind_of<ReplicationController> | kind_of<ReplicaSet> | kind_of<StatefulSet>;
inline constexpr WatchedKinds kClaims = kind_of<PersistentVolumeClaim>;
inline constexpr WatchedKinds kVolumes = kClaims | kind_of<PersistentVolume> | kind_of<StorageClass>;
inline constexpr WatchedKinds kAttachLimits = kVolumes | kind_of<CsiNode>;
inline constexpr WatchedKinds kBinding = kAttachLimits | kind_of<CsiDriver> | kind_of<CsiStorageCapacity>;
/// What decides which devices a pod's claims can have, and on which nodes.
inline constexpr WatchedKinds kDevices =
    kind_of<ResourceClaim> | kind_of<ResourceSlice> | kind_of<DeviceClass> | kind_of<DeviceTaintRule>;
/// No rule has these: what gives new pods of POST /explain their priority, overhead and more.
inline constexpr WatchedKinds kClasses = kind_of<PriorityClass> | kind_of<RuntimeClass>;
/// No rule has these: what cluster/expand reads of a cluster that new pods come into, beside nodes and pods.
inline constexpr WatchedKinds kNewPods =
    kind_of<PersistentVolumeClaim> | kind_of<StorageClass> | kind_of<PriorityClass> | kind_of<LimitRange> |
    kind_of<RuntimeClass> | kind_of<ResourceClaim> | kind_of<ResourceClaimTemplate>;
}  // namespace needs

}  // namespace winnow
