#include "cluster/live/resources.h"

#include <array>

namespace winnow::live {
namespace {

constexpr const char* kNotEnded = "status.phase!=Succeeded,status.phase!=Failed";

struct Row {
  const char *name, *prefix, *kind;
};

/// By ResourceKind.
constexpr std::array<Row, kResourceKinds> kRows = {{
    {"nodes", "/api/v1/", "Node"},
    {"pods", "/api/v1/", "Pod"},
    {"namespaces", "/api/v1/", "Namespace"},
    {"services", "/api/v1/", "Service"},
    {"replicationcontrollers", "/api/v1/", "ReplicationController"},
    {"replicasets", "/apis/apps/v1/", "ReplicaSet"},
    {"statefulsets", "/apis/apps/v1/", "StatefulSet"},
    {"poddisruptionbudgets", "/apis/policy/v1/", "PodDisruptionBudget"},
    {"persistentvolumes", "/api/v1/", "PersistentVolume"},
    {"persistentvolumeclaims", "/api/v1/", "PersistentVolumeClaim"},
    {"storageclasses", "/apis/storage.k8s.io/v1/", "StorageClass"},
    {"csinodes", "/apis/storage.k8s.io/v1/", "CSINode"},
    {"csidrivers", "/apis/storage.k8s.io/v1/", "CSIDriver"},
    {"csistoragecapacities", "/apis/storage.k8s.io/v1/", "CSIStorageCapacity"},
    {"volumeattachments", "/apis/storage.k8s.io/v1/", "VolumeAttachment"},
}};

}  // namespace

Resource resource_of(ResourceKind kind) {
  const Row& row = kRows[static_cast<std::size_t>(kind)];
  return {row.name, std::string(row.prefix) + row.name, row.kind,
          kind == ResourceKind::kPods ? kNotEnded : ""};
}

}  // namespace winnow::live
