// Storage objects for tests, as short as they read, and clusters that have some:
// pvc("data").bound_to("disk"), pv("disk").source(ebs_volume("vol-1")), storage_class("fast",
// "csi.example.com").
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cluster/api/storage.h"
#include "cluster/state/state.h"
#include "tests/ask.h"

namespace winnow::test {

/// In namespace "default"; what is not said is absent.
class ClaimBuilder {
 public:
  explicit ClaimBuilder(std::string name);

  ClaimBuilder& in(std::string ns);
  ClaimBuilder& uid(std::string uid);
  ClaimBuilder& of_class(std::string name);
  ClaimBuilder& annotation(std::string key, std::string value);
  /// spec.volumeName alone.
  ClaimBuilder& names(std::string volume);
  /// spec.volumeName, and the annotation that binding is complete.
  ClaimBuilder& bound_to(std::string volume);
  ClaimBuilder& selected(std::string node);
  ClaimBuilder& size(std::string_view amount);
  ClaimBuilder& access(std::string mode);
  ClaimBuilder& mode(std::string volume_mode);
  ClaimBuilder& selects(LabelSelector selector);
  ClaimBuilder& attributes(std::string class_name);
  ClaimBuilder& phase(std::string phase);
  ClaimBuilder& deleting();
  /// Made for an ephemeral volume of the pod with this uid.
  ClaimBuilder& made_for(std::string pod_uid);

  operator const PersistentVolumeClaim&() const { return claim_; }

 private:
  PersistentVolumeClaim claim_;
};

/// Available.
class VolumeBuilder {
 public:
  explicit VolumeBuilder(std::string name);

  VolumeBuilder& source(Volume source);
  VolumeBuilder& csi(std::string driver, std::string handle);
  VolumeBuilder& label(std::string key, std::string value);
  VolumeBuilder& annotation(std::string key, std::string value);
  VolumeBuilder& of_class(std::string name);
  VolumeBuilder& size(std::string_view amount);
  VolumeBuilder& access(std::string mode);
  VolumeBuilder& mode(std::string volume_mode);
  VolumeBuilder& attributes(std::string class_name);
  VolumeBuilder& phase(std::string phase);
  VolumeBuilder& deleting();
  VolumeBuilder& claimed_by(std::string ns, std::string name, std::string uid = "");
  /// Another term of the node affinity.
  VolumeBuilder& only_on(std::vector<SelectorRequirement> labels,
                         std::vector<SelectorRequirement> fields = {});
  /// No term: on no node at all.
  VolumeBuilder& nowhere();

  operator const PersistentVolume&() const { return volume_; }

 private:
  PersistentVolume volume_;
};

inline ClaimBuilder pvc(std::string name) { return ClaimBuilder(std::move(name)); }
inline VolumeBuilder pv(std::string name) { return VolumeBuilder(std::move(name)); }
/// Waits for the first consumer.
StorageClass storage_class(std::string name, std::string provisioner);
/// @param mode  of binding; "": absent.
StorageClass storage_class(std::string name, std::string provisioner, std::string mode);
CsiNode csi_node(std::string name, std::vector<std::pair<std::string, std::optional<int>>> drivers);

/// @param insists  preventPodSchedulingIfMissing. @param reports  storageCapacity.
CsiDriver csi_driver(std::string name, bool insists, bool reports = false);
VolumeAttachment attachment(std::string name, std::string driver, std::string node, std::string volume);
/// On nodes with these labels.
CsiStorageCapacity capacity(std::string name, std::string storage_class, std::string_view amount,
                            std::optional<LabelSelector> nodes);
/// Its claim is named POD-NAME.
Volume ephemeral_volume(std::string name);

struct Storage {
  std::vector<PersistentVolumeClaim> claims;
  std::vector<PersistentVolume> volumes;
  std::vector<StorageClass> classes;
  std::vector<CsiNode> csi_nodes;
  std::vector<CsiDriver> drivers = {};
  std::vector<VolumeAttachment> attachments = {};
  std::vector<CsiStorageCapacity> capacities = {};

  void put_into(State& state) const;
};

/// The rows of a predicate's table, in a cluster with this storage.
void check_verdicts(std::string_view predicate, const Storage& storage, std::span<const Placement> rows,
                    const State::Options& options = kExact);

}  // namespace winnow::test
