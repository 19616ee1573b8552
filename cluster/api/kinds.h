// The table of the kinds of objects that Winnow reads from a cluster. A kind is a row.
//
// Code for all kinds uses this table at compile time: watching (cluster/live), decoding
// (cluster/decode/decode.h), reading files (cluster/files) and writing into the state (cluster/state/home.h).
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>

#include "cluster/api/admission.h"
#include "cluster/api/node.h"
#include "cluster/api/pod.h"
#include "cluster/api/storage.h"
#include "cluster/api/workload.h"

namespace winnow {

/// Whether objects of a kind have a namespace.
enum KindScope : std::uint8_t { kCluster, kNamespaced };

/// Whether Winnow waits for a kind. An API server may not serve one that is not required, or deny it: then
/// Winnow runs as if there were no such objects, and says so.
enum KindPresence : std::uint8_t { kRequired, kOptional };

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
  KindPresence presence = kRequired;
};

/// A row of the table.
/// @tparam Object  the struct of cluster/api for objects of the kind.
template <class Object>
struct Kind : KindInfo {};

/// The table. Messages list kinds in this order.
inline constexpr std::tuple kKinds{
    Kind<Node>{"Node", "nodes", "v1", kCluster},
    Kind<Pod>{"Pod", "pods", "v1", kNamespaced},
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
    Kind<PriorityClass>{"PriorityClass", "priorityclasses", "scheduling.k8s.io/v1", kCluster},
    Kind<LimitRange>{"LimitRange", "limitranges", "v1", kNamespaced},
    Kind<DeviceClass>{"DeviceClass", "deviceclasses", "resource.k8s.io/v1", kCluster, kOptional},
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

}  // namespace winnow
