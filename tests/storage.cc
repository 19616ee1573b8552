#include "tests/storage.h"

#include "tests/builders.h"

namespace winnow::test {

ClaimBuilder::ClaimBuilder(std::string name) { claim_.metadata = meta("default", std::move(name)); }

ClaimBuilder& ClaimBuilder::in(std::string ns) {
  claim_.metadata.namespace_ = std::move(ns);
  return *this;
}
ClaimBuilder& ClaimBuilder::uid(std::string uid) {
  claim_.metadata.uid = std::move(uid);
  return *this;
}
ClaimBuilder& ClaimBuilder::of_class(std::string name) {
  claim_.storage_class_name = std::move(name);
  return *this;
}
ClaimBuilder& ClaimBuilder::annotation(std::string key, std::string value) {
  claim_.metadata.annotations[std::move(key)] = std::move(value);
  return *this;
}
ClaimBuilder& ClaimBuilder::names(std::string volume) {
  claim_.volume_name = std::move(volume);
  return *this;
}
ClaimBuilder& ClaimBuilder::bound_to(std::string volume) {
  return names(std::move(volume)).annotation("pv.kubernetes.io/bind-completed", "yes");
}
ClaimBuilder& ClaimBuilder::selected(std::string node) {
  return annotation("volume.kubernetes.io/selected-node", std::move(node));
}
ClaimBuilder& ClaimBuilder::size(std::string_view amount) {
  claim_.requests["storage"] = quantity(amount);
  return *this;
}
ClaimBuilder& ClaimBuilder::access(std::string mode) {
  claim_.access_modes.push_back(std::move(mode));
  return *this;
}
ClaimBuilder& ClaimBuilder::mode(std::string volume_mode) {
  claim_.volume_mode = std::move(volume_mode);
  return *this;
}
ClaimBuilder& ClaimBuilder::selects(LabelSelector selector) {
  claim_.selector = std::move(selector);
  return *this;
}
ClaimBuilder& ClaimBuilder::attributes(std::string class_name) {
  claim_.attributes_class_name = std::move(class_name);
  return *this;
}
ClaimBuilder& ClaimBuilder::phase(std::string phase) {
  claim_.phase = std::move(phase);
  return *this;
}
ClaimBuilder& ClaimBuilder::deleting() {
  claim_.metadata.deleting = true;
  return *this;
}
ClaimBuilder& ClaimBuilder::made_for(std::string pod_uid) {
  claim_.metadata.owner_references.push_back({"v1", "Pod", "", std::move(pod_uid), true});
  return *this;
}

VolumeBuilder::VolumeBuilder(std::string name) {
  volume_.metadata = meta("", std::move(name));
  volume_.phase = "Available";
}

VolumeBuilder& VolumeBuilder::source(Volume source) {
  volume_.source = std::move(source);
  return *this;
}
VolumeBuilder& VolumeBuilder::csi(std::string driver, std::string handle) {
  volume_.source.source = VolumeSource::kCsi;
  volume_.source.id = std::move(driver);
  volume_.csi_volume_handle = std::move(handle);
  return *this;
}
VolumeBuilder& VolumeBuilder::label(std::string key, std::string value) {
  volume_.metadata.labels[std::move(key)] = std::move(value);
  return *this;
}
VolumeBuilder& VolumeBuilder::annotation(std::string key, std::string value) {
  volume_.metadata.annotations[std::move(key)] = std::move(value);
  return *this;
}
VolumeBuilder& VolumeBuilder::of_class(std::string name) {
  volume_.storage_class_name = std::move(name);
  return *this;
}
VolumeBuilder& VolumeBuilder::size(std::string_view amount) {
  volume_.capacity["storage"] = quantity(amount);
  return *this;
}
VolumeBuilder& VolumeBuilder::access(std::string mode) {
  volume_.access_modes.push_back(std::move(mode));
  return *this;
}
VolumeBuilder& VolumeBuilder::mode(std::string volume_mode) {
  volume_.volume_mode = std::move(volume_mode);
  return *this;
}
VolumeBuilder& VolumeBuilder::attributes(std::string class_name) {
  volume_.attributes_class_name = std::move(class_name);
  return *this;
}
VolumeBuilder& VolumeBuilder::phase(std::string phase) {
  volume_.phase = std::move(phase);
  return *this;
}
VolumeBuilder& VolumeBuilder::deleting() {
  volume_.metadata.deleting = true;
  return *this;
}
VolumeBuilder& VolumeBuilder::claimed_by(std::string ns, std::string name, std::string uid) {
  volume_.claim_namespace = std::move(ns);
  volume_.claim_name = std::move(name);
  volume_.claim_uid = std::move(uid);
  return *this;
}
VolumeBuilder& VolumeBuilder::only_on(std::vector<SelectorRequirement> labels,
                                      std::vector<SelectorRequirement> fields) {
  nowhere();
  volume_.node_affinity->terms.push_back({std::move(labels), std::move(fields)});
  return *this;
}
VolumeBuilder& VolumeBuilder::nowhere() {
  if (!volume_.node_affinity) volume_.node_affinity.emplace();
  return *this;
}

StorageClass storage_class(std::string name, std::string provisioner) {
  return storage_class(std::move(name), std::move(provisioner), "WaitForFirstConsumer");
}
StorageClass storage_class(std::string name, std::string provisioner, std::string mode) {
  StorageClass made;
  made.metadata = meta("", std::move(name));
  made.provisioner = std::move(provisioner);
  if (!mode.empty()) made.volume_binding_mode = std::move(mode);
  return made;
}

CsiNode csi_node(std::string name, std::vector<std::pair<std::string, std::optional<int>>> drivers) {
  CsiNode made;
  made.metadata = meta("", std::move(name));
  for (auto& [driver, count] : drivers) {
    made.drivers.emplace_back().name = std::move(driver);
    made.drivers.back().allocatable_count = count;
  }
  return made;
}

CsiDriver csi_driver(std::string name, bool insists, bool reports) {
  CsiDriver made;
  made.metadata = meta("", std::move(name));
  made.prevent_pod_scheduling_if_missing = insists;
  made.storage_capacity = reports;
  return made;
}

VolumeAttachment attachment(std::string name, std::string driver, std::string node, std::string volume) {
  VolumeAttachment made;
  made.metadata = meta("", std::move(name));
  made.attacher = std::move(driver);
  made.node_name = std::move(node);
  made.persistent_volume_name = std::move(volume);
  return made;
}

CsiStorageCapacity capacity(std::string name, std::string storage_class, std::string_view amount,
                            std::optional<LabelSelector> nodes) {
  CsiStorageCapacity made;
  made.metadata = meta("storage", std::move(name));
  made.storage_class_name = std::move(storage_class);
  made.capacity = quantity(amount);
  made.node_topology = std::move(nodes);
  return made;
}

Volume ephemeral_volume(std::string name) {
  Volume made;
  made.name = std::move(name);
  made.source = VolumeSource::kEphemeral;
  return made;
}

void Storage::put_into(State& state) const {
  for (const StorageClass& one : classes) state.volumes.set(one);
  for (const PersistentVolume& one : volumes) state.volumes.set(one);
  for (const PersistentVolumeClaim& one : claims) state.volumes.set(one);
  for (const CsiNode& one : csi_nodes) state.volumes.set(one);
  for (const CsiDriver& one : drivers) state.objects.of<CsiDriver>()[one.metadata.name] = one;
  for (const VolumeAttachment& one : attachments) state.volumes.set(one);
  for (const CsiStorageCapacity& one : capacities) state.volumes.set(one);
}

}  // namespace winnow::test
