#include "cluster/decode/reader.h"

namespace winnow {

static bool read_phase(const Reader& r, std::string& phase) {
  return r.within("status", [&](const Reader& status) { return status.read("phase", phase); });
}

static bool read_csi_handle(const Reader& r, std::string& handle) {
  return r.within("csi", [&](const Reader& csi) { return csi.read("volumeHandle", handle); });
}

static bool read_volume_spec(const Reader& r, PersistentVolume& volume) {
  return r.read("capacity", volume.capacity) && r.read("accessModes", volume.access_modes) &&
         r.read("storageClassName", volume.storage_class_name) && r.read("volumeMode", volume.volume_mode) &&
         r.read("volumeAttributesClassName", volume.attributes_class_name) &&
         r.within("nodeAffinity",
                  [&](const Reader& affinity) { return affinity.read("required", volume.node_affinity); }) &&
         r.within("claimRef",
                  [&](const Reader& claim) {
                    return claim.read("namespace", volume.claim_namespace) &&
                           claim.read("name", volume.claim_name) && claim.read("uid", volume.claim_uid);
                  }) &&
         read_volume_source(r, volume.source) && read_csi_handle(r, volume.csi_volume_handle);
}

bool read_fields(const Reader& r, PersistentVolume& volume) {
  return r.read("metadata", volume.metadata) &&
         r.within("spec", [&](const Reader& spec) { return read_volume_spec(spec, volume); }) &&
         read_phase(r, volume.phase);
}

static bool read_claim_spec(const Reader& r, PersistentVolumeClaim& claim) {
  return r.read("volumeName", claim.volume_name) && r.read("storageClassName", claim.storage_class_name) &&
         r.read("accessModes", claim.access_modes) && r.read("volumeMode", claim.volume_mode) &&
         r.read("volumeAttributesClassName", claim.attributes_class_name) &&
         r.read("selector", claim.selector) && r.within("resources", [&](const Reader& resources) {
           return resources.read("requests", claim.requests);
         });
}

bool read_fields(const Reader& r, PersistentVolumeClaim& claim) {
  return r.read("metadata", claim.metadata) &&
         r.within("spec", [&](const Reader& spec) { return read_claim_spec(spec, claim); }) &&
         read_phase(r, claim.phase);
}

namespace {

/// One of a storage class's allowedTopologies. Its expressions have no operator; "In" is filled in.
struct TopologyTerm {
  std::vector<SelectorRequirement> requirements;
};

bool read_fields(const Reader& r, TopologyTerm& term) {
  if (!r.read("matchLabelExpressions", term.requirements)) return false;
  for (auto& requirement : term.requirements) requirement.op = "In";
  return true;
}

}  // namespace

bool read_fields(const Reader& r, StorageClass& storage_class) {
  std::vector<TopologyTerm> terms;
  const bool good =
      r.read("metadata", storage_class.metadata) && r.read("provisioner", storage_class.provisioner) &&
      r.read("volumeBindingMode", storage_class.volume_binding_mode) && r.read("allowedTopologies", terms);
  for (auto& term : terms) storage_class.allowed_topologies.push_back(std::move(term.requirements));
  return good;
}

static bool read_fields(const Reader& r, CsiNodeDriver& driver) {
  return r.read("name", driver.name) && r.read("nodeID", driver.node_id) &&
         r.read("topologyKeys", driver.topology_keys) &&
         r.within("allocatable", [&](const Reader& allocatable) {
           return allocatable.read("count", driver.allocatable_count);
         });
}

bool read_fields(const Reader& r, CsiNode& node) {
  return r.read("metadata", node.metadata) &&
         r.within("spec", [&](const Reader& spec) { return spec.read("drivers", node.drivers); });
}

bool read_fields(const Reader& r, CsiDriver& driver) {
  return r.read("metadata", driver.metadata) && r.within("spec", [&](const Reader& spec) {
    return spec.read("storageCapacity", driver.storage_capacity) &&
           spec.read("attachRequired", driver.attach_required) &&
           spec.read("preventPodSchedulingIfMissing", driver.prevent_pod_scheduling_if_missing);
  });
}

bool read_fields(const Reader& r, CsiStorageCapacity& capacity) {
  return r.read("metadata", capacity.metadata) && r.read("nodeTopology", capacity.node_topology) &&
         r.read("storageClassName", capacity.storage_class_name) && r.read("capacity", capacity.capacity) &&
         r.read("maximumVolumeSize", capacity.maximum_volume_size);
}

static bool read_attachment_source(const Reader& r, VolumeAttachment& attachment) {
  return r.read("persistentVolumeName", attachment.persistent_volume_name) &&
         r.within("inlineVolumeSpec", [&](const Reader& spec) {
           return read_volume_source(spec, attachment.inline_volume.emplace()) &&
                  read_csi_handle(spec, attachment.inline_csi_volume_handle);
         });
}

bool read_fields(const Reader& r, VolumeAttachment& attachment) {
  return r.read("metadata", attachment.metadata) && r.within("spec", [&](const Reader& spec) {
    return spec.read("attacher", attachment.attacher) && spec.read("nodeName", attachment.node_name) &&
           spec.within("source",
                       [&](const Reader& source) { return read_attachment_source(source, attachment); });
  }) && r.within("status", [&](const Reader& status) {
    return status.read("attached", attachment.attached);
  });
}

}  // namespace winnow
