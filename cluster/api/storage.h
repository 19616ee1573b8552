// The storage objects: volumes, claims, classes and those of CSI.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/api/pod.h"
#include "cluster/api/quantity.h"

namespace winnow {

struct PersistentVolume {
  ObjectMeta metadata;
  ResourceList capacity;
  std::vector<std::string> access_modes;
  std::string storage_class_name;
  std::string volume_mode;            ///< "" means Filesystem.
  std::string attributes_class_name;  ///< volumeAttributesClassName; "" if absent.
  std::optional<NodeSelector> node_affinity;
  std::string claim_namespace;  ///< The claimRef; all three are empty if it is absent.
  std::string claim_name;
  std::string claim_uid;
  Volume source;  ///< `name` is unused; `id` is as in Volume, for CSI the driver.
  std::string csi_volume_handle;
  std::string phase;

  bool operator==(const PersistentVolume&) const = default;
};

struct PersistentVolumeClaim {
  ObjectMeta metadata;
  std::string volume_name;  ///< The bound volume.
  std::optional<std::string> storage_class_name;
  std::vector<std::string> access_modes;
  std::string volume_mode;
  std::string attributes_class_name;
  std::optional<LabelSelector> selector;
  ResourceList requests;
  std::string phase;

  bool operator==(const PersistentVolumeClaim&) const = default;
};

struct StorageClass {
  ObjectMeta metadata;
  std::string provisioner;
  std::optional<std::string> volume_binding_mode;
  std::vector<std::vector<SelectorRequirement>> allowed_topologies;  ///< ORed terms; `op` is "In".

  bool operator==(const StorageClass&) const = default;
};

struct CsiNodeDriver {
  std::string name;
  std::string node_id;
  std::vector<std::string> topology_keys;
  std::optional<std::int32_t> allocatable_count;

  bool operator==(const CsiNodeDriver&) const = default;
};

struct CsiNode {
  ObjectMeta metadata;  ///< The name is that of the node.
  std::vector<CsiNodeDriver> drivers;

  bool operator==(const CsiNode&) const = default;
};

struct CsiDriver {
  ObjectMeta metadata;
  bool storage_capacity = false;
  bool attach_required = true;
  bool prevent_pod_scheduling_if_missing = false;

  bool operator==(const CsiDriver&) const = default;
};

struct CsiStorageCapacity {
  ObjectMeta metadata;
  std::optional<LabelSelector> node_topology;
  std::string storage_class_name;
  std::optional<Quantity> capacity;
  std::optional<Quantity> maximum_volume_size;

  bool operator==(const CsiStorageCapacity&) const = default;
};

struct VolumeAttachment {
  ObjectMeta metadata;
  std::string attacher;
  std::string node_name;
  std::string persistent_volume_name;   ///< source.persistentVolumeName
  std::optional<Volume> inline_volume;  ///< The volume in source.inlineVolumeSpec.
  std::string inline_csi_volume_handle;
  bool attached = false;

  bool operator==(const VolumeAttachment&) const = default;
};

}  // namespace winnow
